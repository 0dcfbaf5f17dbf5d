#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// A matcher of a plan, identified by its resource, its group in the resource, and its role in the
/// group (see Role).
struct Rule {
  size_t resource = 0;
  size_t group = 0;
  size_t role = 0;
  friend auto operator<=>(const Rule&, const Rule&) = default;
};

/// Finds the matchers of a plan that can match a device, so that an event evaluates only these. The
/// keys are the subsystems that they name, the patterns that found the device, and static names.
/// Members of several groups are often equal, and only the first is evaluated. Immutable once made;
/// any thread.
class RuleIndex {
 public:
  RuleIndex() = default;
  explicit RuleIndex(const std::vector<ResourcePlanPtr>& resources);

  /// The candidates in the order of the plan; of equal members only the first. The facts that cost
  /// nothing are sufficient.
  [[nodiscard]] std::vector<Rule> candidates(const DeviceFacts& cheap) const;
  /// Every matcher, in the order of the plan.
  [[nodiscard]] const std::vector<Rule>& all() const { return all_; }
  /// The first member that matches the same devices as this one and renders the same text for them.
  /// Most rules represent only themselves.
  [[nodiscard]] Rule representative(const Rule& rule) const;

 private:
  using Rules = std::map<std::string, std::vector<Rule>, std::less<>>;

  void find_equals(const std::vector<ResourcePlanPtr>& resources);

  std::vector<Rule> all_;
  std::map<Rule, Rule> representatives_;  ///< First equal member, for the other members.
  Rules by_subsystem_;
  std::vector<Rule> any_subsystem_;  ///< Rules whose subsystems are not plain names.
  Rules by_sysfs_pattern_;
  Rules by_glob_pattern_;
  Rules by_static_name_;
};

}  // namespace patchbay::rules
