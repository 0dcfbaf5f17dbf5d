#pragma once

#include <span>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::daemon {

/// The list of a resource that the kubelet has, and the list to send.
struct ListUpdate {
  inventory::SnapshotPtr last_sent;  ///< Null: none.
  inventory::SnapshotPtr now;        ///< Never null.
};

/// Marks each update that releases a device which another one of them offers. Send these first and
/// without delay: otherwise the kubelet could allocate one device to two containers. Pure.
[[nodiscard]] std::vector<bool> sources_first(std::span<const ListUpdate> updates);

}  // namespace patchbay::daemon
