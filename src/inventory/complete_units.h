#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "inventory/claims.h"
#include "inventory/make_unit.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// A unit that could be offered, were its id not another's.
struct Candidate {
  size_t group = 0;
  MadeUnitPtr made;

  [[nodiscard]] const std::string& device() const {
    return made->members->devices.front().facts->key;
  }
};

/// Makes the complete drafts units. What was made of the same devices before is kept: it is the
/// same. Loop thread.
class UnitCompleter {
 public:
  explicit UnitCompleter(rules::PlanPtr plan) : plan_(std::move(plan)) {}

  /// By resource. What is incomplete, has too many devices, or cannot be given to a container is
  /// added to the refusals.
  [[nodiscard]] std::vector<std::vector<Candidate>> complete(
      const std::vector<std::vector<UnitDraft>>& drafts, std::vector<Refusal>& refusals);

 private:
  /// Resource, group, and what the devices have in common.
  using Key = std::tuple<size_t, size_t, std::string>;

  MadeUnitPtr make(const UnitDraft& draft);
  [[nodiscard]] Refusal refusal(const UnitDraft& draft) const;

  rules::PlanPtr plan_;
  std::map<Key, MadeUnitPtr> made_;    ///< Of the last call, of groups with a `by`.
  std::map<Key, MadeUnitPtr> making_;  ///< Of this one.
};

}  // namespace patchbay::inventory
