#pragma once

#include <string>

#include "inventory/allocate.h"

namespace patchbay::cli {

/// What one container gets, for people: a table for each kind of thing. Strings of devices are made
/// printable.
[[nodiscard]] std::string allocation_table(const inventory::Allocation& allocation);

}  // namespace patchbay::cli
