#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "inventory/complete_units.h"
#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"
#include "rules/plan/share.h"

namespace patchbay::inventory {

/// The limit for the sum of list_size() over all units of a resource.
inline constexpr size_t kMaxUnits = rules::SharePlan::kMaxShares;

/// The size of a unit in the kubelet's list: MadeUnit::listed(), counted once per NUMA node.
[[nodiscard]] inline size_t list_size(size_t listed, size_t nodes) {
  return listed * std::max<size_t>(nodes, 1);
}

/// Returns the unit with that id, or units.end(). `units` must be in natural order of ids.
[[nodiscard]] MadeUnits::const_iterator find_by_id(const MadeUnits& units, std::string_view id);

/// Whether one of the units has a share with that id. `units` must be in natural order of ids.
[[nodiscard]] bool has_share(const MadeUnits& units, std::string_view id);

/// The replacement of one candidate, for instance after its device changed. A candidate is a unit
/// whose id may still be equal to the id of another unit.
struct CandidateChange {
  size_t resource = 0;
  MadeUnitPtr was;  ///< Null if `now` is a new candidate.
  MadeUnitPtr now;  ///< Null if the candidate is gone.
};

/// Selects the candidates that a resource offers, so that the ids are unique within the resource.
/// An unchanged list is the same object as in the last call. Loop thread.
class IdAssigner {
 public:
  /// Computes the units that all resources offer. Adds the other candidates to `refusals`.
  ///
  /// Several candidates may have the same id. If `listed` has a unit with this id, a candidate that
  /// has a matched device of the listed unit keeps the id. Otherwise, if all candidates but one
  /// take the id from an ancestor above their parent, the remaining one gets the id. Otherwise none
  /// of these candidates is offered. Listed units also come first if ids of shares conflict, or if
  /// there are more units than kMaxUnits.
  ///
  /// `listed` has the last list of each resource, or null. Equal candidates must keep their order.
  void assign_ids(const rules::Plan& plan, std::vector<MadeUnits> candidates,
                  std::span<const SnapshotPtr> listed, RefusalsByResource& refusals);

  /// Does the same for a few changed candidates, if they affect no other unit. Call it only if the
  /// last assign_ids() refused no candidate. Returns false, and changes nothing, if other units may
  /// be affected. Then call assign_ids().
  [[nodiscard]] bool change(std::span<const CandidateChange> changes);

  /// By resource.
  [[nodiscard]] const std::vector<MadeUnitsPtr>& offered() const { return offered_; }
  /// The unit that the resource offers under that id; null if there is none.
  [[nodiscard]] const MadeUnit* find(size_t resource, std::string_view id) const;

 private:
  /// The cached result for one resource.
  struct ResourceState {
    MadeUnits candidates;
    MadeUnits by_id;    ///< The candidates, in natural order of ids.
    size_t listed = 0;  ///< The sum of list_size() over the offered units.
  };

  std::vector<ResourceState> states_;  ///< By resource of the plan, which never changes.
  std::vector<MadeUnitsPtr> offered_;
};

}  // namespace patchbay::inventory
