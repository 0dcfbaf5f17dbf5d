#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Identifies a matcher of a plan: the indexes of its resource and group, and its role in the group
/// (see Role).
struct Rule {
  size_t resource = 0;
  size_t group = 0;
  size_t role = 0;
  friend auto operator<=>(const Rule&, const Rule&) = default;
};

/// Finds the matchers of a plan that can match a device, so that an event does not evaluate all
/// matchers. The index has the matchers by subsystem, pattern and static name. Members of different
/// groups are often equal. The index has only the first of equal members. Immutable; any thread.
class RuleIndex {
 public:
  RuleIndex() = default;
  explicit RuleIndex(const std::vector<ResourcePlanPtr>& resources);

  /// Returns the matchers that can match, in the order of the plan. Returns only the first of equal
  /// members. `cheap` needs only the facts without a cost.
  [[nodiscard]] std::vector<Rule> candidates(const DeviceFacts& cheap) const;
  /// Every matcher, in the order of the plan.
  [[nodiscard]] const std::vector<Rule>& all() const { return all_; }
  /// Returns the first member with the same match and the same `by` as `rule`. For most rules, the
  /// result is `rule` itself.
  [[nodiscard]] Rule representative(const Rule& rule) const;

 private:
  using Rules = std::map<std::string, std::vector<Rule>, std::less<>>;

  void find_equals(const std::vector<ResourcePlanPtr>& resources);

  std::vector<Rule> all_;
  std::map<Rule, Rule> representatives_;  ///< First equal member, by later member.
  Rules by_subsystem_;
  std::vector<Rule> any_subsystem_;  ///< Rules whose subsystems are not plain names.
  Rules by_sysfs_pattern_;
  Rules by_glob_pattern_;
  Rules by_static_name_;
};

}  // namespace patchbay::rules
