#pragma once

#include <cstddef>

#include "inventory/snapshot.h"

namespace patchbay::bench {

/// Answers an Allocate of that unit, one of plain_devices() of one rule, as the daemon does where
/// all paths are in the kernel's memory. How long the answer is.
[[nodiscard]] size_t allocate_one(const inventory::Snapshot& snapshot, size_t unit);

}  // namespace patchbay::bench
