#pragma once

#include <span>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::daemon {

/// The last list of a resource that its consumer has acknowledged, and the list to send.
struct ListUpdate {
  inventory::SnapshotPtr acknowledged;  ///< Null: none.
  inventory::SnapshotPtr now;           ///< Null: the resource is withdrawn.
};

/// What to send for one ListUpdate.
struct NextList {
  /// `list` releases a device that another resource offers. Send it first and without delay.
  bool at_once = false;
  /// ListUpdate::now, without the units whose devices another acknowledged list still has.
  inventory::SnapshotPtr list;
};

/// Returns what to send for each update. A device that moves to another list appears in the new
/// list only after the kubelet has acknowledged the old list without the device. So the device is
/// never in two lists, and the kubelet cannot allocate it to two containers. Pure. The results are
/// in the order of the updates.
[[nodiscard]] std::vector<NextList> next_lists(std::span<const ListUpdate> updates);

}  // namespace patchbay::daemon
