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

/// The largest number of units of a resource.
inline constexpr size_t kMaxUnits = rules::SharePlan::kMaxShares;

/// The size of the unit in a list. A unit on several NUMA nodes counts once per node.
[[nodiscard]] inline size_t list_size(size_t listed, size_t nodes) {
  return listed * std::max<size_t>(nodes, 1);
}

/// The unit with that id in a list in natural order of ids; the end if there is none.
[[nodiscard]] MadeUnits::const_iterator find_by_id(const MadeUnits& units, std::string_view id);

/// Whether one of the shared units has a share with that id. The units are in natural order of ids.
[[nodiscard]] bool has_share(const MadeUnits& units, std::string_view id);

/// The replacement of a candidate by another one, for instance after its device changed.
struct CandidateChange {
  size_t resource = 0;
  MadeUnitPtr was;  ///< Null: a new candidate.
  MadeUnitPtr now;  ///< Null: the candidate is gone.
};

/// Ensures that ids are unique within a resource. Caches the result per resource. If the candidates
/// are the same as in the last call, the list object stays the same and nothing is sorted. Loop
/// thread.
class IdAssigner {
 public:
  /// Computes the units that resources offer, and adds refused ones to `refusals`.
  ///
  /// If several candidates have one id, the unit that `listed` has under this id stays. Otherwise
  /// the only one that does not inherit the id from a device further above stays. If there is no
  /// such candidate, none is offered. Listed units also come first where ids of shares or the limit
  /// decide. To find the listed unit among the candidates, its matched devices are tried in order.
  ///
  /// `listed` has the last list of each resource, or null. Equal candidates of a resource must be
  /// in the same order in each call.
  void assign_ids(const rules::Plan& plan, std::vector<MadeUnits> candidates,
                  std::span<const SnapshotPtr> listed, RefusalsByResource& refusals);

  /// As assign_ids(), after changes that affect no other unit and no refused candidate. False:
  /// nothing has changed, because an id may belong to another unit; call assign_ids().
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
    size_t listed = 0;  ///< The list size of the units.
  };

  std::vector<ResourceState> states_;  ///< By resource of the plan, which never changes.
  std::vector<MadeUnitsPtr> offered_;
};

}  // namespace patchbay::inventory
