#pragma once

#include <span>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::daemon {

/// The list of a resource that its readers have, and its new state.
struct ListUpdate {
  inventory::SnapshotPtr acknowledged;  ///< Null: none.
  inventory::SnapshotPtr now;           ///< Null: the resource is withdrawn.
};

/// What to send for one ListUpdate.
struct NextList {
  /// It releases a device that another list offers. Send it first and without delay.
  bool at_once = false;
  /// `now`, or without the units whose devices another acknowledged list still has.
  inventory::SnapshotPtr list;
};

/// Orders the updates so that no two lists have one device: otherwise the kubelet could allocate it
/// to two containers. A device appears in its new list only after the list that releases it was
/// acknowledged. Pure. The results are in the order of the updates.
[[nodiscard]] std::vector<NextList> next_lists(std::span<const ListUpdate> updates);

}  // namespace patchbay::daemon
