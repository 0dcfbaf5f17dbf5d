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

/// Turns complete drafts into units. Reuses the unit of the last call that was made of the same
/// devices. Loop thread.
class UnitCompleter {
 public:
  explicit UnitCompleter(rules::PlanPtr plan)
      : plan_(std::move(plan)), made_(plan_->resources.size()) {}

  /// The units of all complete drafts before ids are assigned; by resource, in order of the drafts.
  /// Adds incomplete drafts, drafts with too many devices, and units that cannot be allocated to
  /// the refusals.
  [[nodiscard]] std::vector<MadeUnits> complete(const Claims& claims, RefusalsByResource& refusals);

 private:
  /// By the first of their devices, which the unit keeps alive.
  using UnitsByDevice = std::unordered_multimap<const DeviceFacts*, MadeUnitPtr>;

  /// The unit of a complete draft.
  [[nodiscard]] MadeUnitPtr make(const UnitDraft& draft) const;
  /// Why a draft is not a unit; null: the draft is complete.
  [[nodiscard]] std::optional<Refusal> refusal(const UnitDraft& draft, const Claims& claims) const;
  /// Why devices that may belong to a role are missing there. Empty: no such device.
  [[nodiscard]] std::string exclusion_note(const UnitDraft& draft, Role role,
                                           const Claims& claims) const;

  rules::PlanPtr plan_;
  std::vector<UnitsByDevice> made_;  ///< Units of the last call, of groups with a `by`; by
                                     ///< resource.
};

}  // namespace patchbay::inventory
