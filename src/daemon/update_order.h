#pragma once

#include <span>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::daemon {

/// What the kubelet was told of a resource, and what it is to be told.
struct ListUpdate {
  inventory::SnapshotPtr last_sent;  ///< Null: nothing yet.
  inventory::SnapshotPtr now;        ///< Never null.
};

/// Which of them give a device away to another of them: these go first, and at once, or the kubelet
/// could give one device to two containers. Pure.
[[nodiscard]] std::vector<bool> sources_first(std::span<const ListUpdate> updates);

}  // namespace patchbay::daemon
