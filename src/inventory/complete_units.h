#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inventory/claims.h"
#include "inventory/make_unit.h"
#include "inventory/resolution.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// Turns complete drafts into units. Reuses the last unit of the same devices. Loop thread.
class UnitCompleter {
 public:
  explicit UnitCompleter(rules::PlanPtr plan)
      : plan_(std::move(plan)), made_(plan_->resources.size()) {}

  /// Returns the units of all complete drafts, by resource, in the order of the drafts. Several
  /// units may still have the same id. Adds a refusal for each draft with too few or too many
  /// devices, and for each unit with a fault (MadeUnit::fault).
  [[nodiscard]] std::vector<MadeUnits> complete(const Claims& claims, RefusalsByResource& refusals);

 private:
  /// Units by their first device. The unit keeps the device alive.
  using UnitsByDevice = std::unordered_multimap<const DeviceFacts*, MadeUnitPtr>;

  /// Makes or reuses the unit of a complete draft.
  [[nodiscard]] MadeUnitPtr make(const UnitDraft& draft) const;
  /// Why the draft is not a unit; null if the draft is complete.
  [[nodiscard]] std::optional<Refusal> refusal(const UnitDraft& draft, const Claims& claims) const;
  /// Names the devices that match the role and are not in the draft, with the reason.
  [[nodiscard]] std::string exclusion_note(const UnitDraft& draft, Role role,
                                           const Claims& claims) const;

  rules::PlanPtr plan_;
  std::vector<UnitsByDevice> made_;  ///< By resource: the last units of groups with a `by`.
};

}  // namespace patchbay::inventory
