#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/facts.h"

namespace patchbay::rules {

struct ResourcePlan;
using ResourcePlanPtr = std::shared_ptr<const ResourcePlan>;

/// One matcher of a plan: its resource, its group there, and its role in that (see Role).
struct Rule {
  size_t resource = 0;
  size_t group = 0;
  size_t role = 0;
  friend auto operator<=>(const Rule&, const Rule&) = default;
};

/// Which matchers of a plan can match a device, so that an event costs only those: by the
/// subsystems that they name, the patterns that found the thing, and static names. Members of
/// several groups are often equal, and then only the first is asked. Immutable once made; any
/// thread.
class RuleIndex {
 public:
  RuleIndex() = default;
  explicit RuleIndex(const std::vector<ResourcePlanPtr>& resources);

  /// In the order of the plan; of those that are equal, the first. The facts that cost nothing are
  /// enough.
  [[nodiscard]] std::vector<Rule> candidates(const DeviceFacts& cheap) const;
  /// Every matcher, in the order of the plan.
  [[nodiscard]] const std::vector<Rule>& all() const { return all_; }
  /// The first of the members that match the same devices as this one, and make the same text of
  /// them. Most rules are the only ones of their kind.
  [[nodiscard]] Rule representative(const Rule& rule) const;

 private:
  using Rules = std::map<std::string, std::vector<Rule>, std::less<>>;

  void find_equals(const std::vector<ResourcePlanPtr>& resources);

  std::vector<Rule> all_;
  std::map<Rule, Rule> representatives_;  ///< The first of its kind, of those that are not.
  Rules by_subsystem_;
  std::vector<Rule> any_subsystem_;  ///< Those whose subsystems are not plain names.
  Rules by_sysfs_pattern_;
  Rules by_glob_pattern_;
  Rules by_static_name_;
};

}  // namespace patchbay::rules
