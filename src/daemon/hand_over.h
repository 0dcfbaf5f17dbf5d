#pragma once

#include <span>
#include <vector>

#include "inventory/snapshot.h"

namespace patchbay::daemon {

/// What the kubelet was told of a resource, and what it is to be told.
struct News {
  inventory::SnapshotPtr told;  ///< Null: nothing yet.
  inventory::SnapshotPtr now;   ///< Never null.
};

/// Which of them give a device away to another of them: these go first, and at once, or the kubelet
/// could give one device to two containers. Pure.
[[nodiscard]] std::vector<bool> giving_away(std::span<const News> news);

}  // namespace patchbay::daemon
