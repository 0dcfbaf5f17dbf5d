#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inventory/claims.h"
#include "inventory/make_unit.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// Makes the complete drafts units. What was made of the same devices before is kept: it is the
/// same. Loop thread.
class UnitCompleter {
 public:
  explicit UnitCompleter(rules::PlanPtr plan)
      : plan_(std::move(plan)), made_(plan_->resources.size()) {}

  /// The units that could be offered, were their ids not others', by resource, in order of the
  /// drafts. What is incomplete, has too many devices, or cannot be given to a container is added
  /// to the refusals.
  [[nodiscard]] std::vector<MadeUnits> complete(const Claims& claims, RefusalsByResource& refusals);

 private:
  /// By the first of their devices, which they keep alive.
  using UnitsByDevice = std::unordered_multimap<const DeviceFacts*, MadeUnitPtr>;

  /// The unit of a complete draft.
  [[nodiscard]] MadeUnitPtr make(const UnitDraft& draft) const;
  /// Why a draft is no unit; null: it is complete.
  [[nodiscard]] std::optional<Refusal> refusal(const UnitDraft& draft, const Claims& claims) const;
  /// What keeps devices out of a role that could perhaps have it; empty: nothing.
  [[nodiscard]] std::string exclusion_note(const UnitDraft& draft, Role role,
                                           const Claims& claims) const;

  rules::PlanPtr plan_;
  std::vector<UnitsByDevice> made_;  ///< Of the last call, of groups with a `by`; by resource.
};

}  // namespace patchbay::inventory
