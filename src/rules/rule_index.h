#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/facts.h"

namespace patchbay::rules {

struct ResourcePlan;

/// One matcher of a plan: its resource, its group there, and its role in that (see Role).
struct Rule {
  size_t resource = 0;
  size_t group = 0;
  size_t role = 0;
  friend auto operator<=>(const Rule&, const Rule&) = default;
};

/// Which matchers of a plan can match a device, so that an event costs only those: by the
/// subsystems that they name, the patterns that found the thing, and static names. Immutable once
/// made; any thread.
class RuleIndex {
 public:
  RuleIndex() = default;
  explicit RuleIndex(const std::vector<ResourcePlan>& resources);

  /// In the order of the plan. The facts that cost nothing are enough.
  [[nodiscard]] std::vector<Rule> candidates(const DeviceFacts& cheap) const;
  /// Every matcher, in the order of the plan.
  [[nodiscard]] const std::vector<Rule>& all() const { return all_; }

 private:
  using Rules = std::map<std::string, std::vector<Rule>, std::less<>>;

  std::vector<Rule> all_;
  Rules by_subsystem_;
  std::vector<Rule> any_subsystem_;  ///< Those whose subsystems are not plain names.
  Rules by_sysfs_pattern_;
  Rules by_glob_pattern_;
  Rules by_static_name_;
};

}  // namespace patchbay::rules
