#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "inventory/complete_units.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// The longest list that the kubelet reads in one message of 3.5 MiB, when each of its devices has
/// an id of 63 characters, is unhealthy and has a NUMA node (84 bytes).
inline constexpr size_t kMaxUnits = 3'670'016 / 84;

/// As how many of them the unit counts: one on several NUMA nodes once for each.
[[nodiscard]] inline size_t list_size(size_t listed, size_t nodes) {
  return listed * std::max<size_t>(nodes, 1);
}

/// Whether one of the units, which is shared, has a share with that id. They are in natural order
/// of ids.
[[nodiscard]] bool has_share(const MadeUnits& units, std::string_view id);

/// A candidate that is none any more, and one that is new: of one device, for instance, as it was
/// and as it is.
struct CandidateChange {
  size_t resource = 0;
  MadeUnitPtr was;  ///< Null: there was none.
  MadeUnitPtr now;  ///< Null: there is none.
};

/// Sees that ids are unique within a resource. What the last call found is kept for resources with
/// the same units as then, so that they are not sorted again, and their lists are the very same.
/// Loop thread.
class IdAssigner {
 public:
  /// The units that resources offer. Of several with one id, the one stays that `listed` has under
  /// this id, else the only one that does not inherit the id from a device further above, else
  /// none. Units that `listed` has also come first where ids of shares or the limit decide. A unit
  /// is a listed one if it has the listed one's first matched device that some candidate of the id
  /// has. What is refused is added to `refusals`. `listed` is, by resource, what was listed last,
  /// or null. The candidates of a resource are in the same order, if they are the same.
  void assign_ids(const rules::Plan& plan, std::vector<MadeUnits> candidates,
                  std::span<const SnapshotPtr> listed, RefusalsByResource& refusals);

  /// The same after changes that matter to no other unit, where no candidate was refused. False,
  /// and nothing has changed: assign_ids() must see to it, since some id may be another's.
  [[nodiscard]] bool change(std::span<const CandidateChange> changes);

  /// By resource.
  [[nodiscard]] const std::vector<MadeUnitsPtr>& offered() const { return offered_; }
  /// The unit that the resource offers under that id; null if it offers none.
  [[nodiscard]] const MadeUnit* find(size_t resource, std::string_view id) const;

 private:
  /// What is known of a resource.
  struct ResourceState {
    MadeUnits candidates;
    MadeUnits by_id;    ///< The same, in natural order of ids.
    size_t listed = 0;  ///< As how many its units count.
  };

  std::vector<ResourceState> states_;  ///< By resource of the plan, which is always the same one.
  std::vector<MadeUnitsPtr> offered_;
};

}  // namespace patchbay::inventory
