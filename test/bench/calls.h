#pragma once

#include <cstddef>

#include "inventory/snapshot.h"

namespace patchbay::bench {

/// Answers an Allocate of that unit as the daemon does if all paths are cached. The units are
/// plain_devices() of one rule. Returns the size of the answer.
[[nodiscard]] size_t allocate_one(const inventory::Snapshot& snapshot, size_t unit);

}  // namespace patchbay::bench
