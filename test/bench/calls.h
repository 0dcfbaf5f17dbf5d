#pragma once

#include <cstddef>

#include "inventory/snapshot.h"

namespace patchbay::bench {

/// Answers an Allocate of that unit, one of plain_devices() of one rule, as the daemon does with
/// all paths cached. Returns the size of the answer.
[[nodiscard]] size_t allocate_one(const inventory::Snapshot& snapshot, size_t unit);

}  // namespace patchbay::bench
