#pragma once

#include "inventory/inventory.h"
#include "status/counters.h"
#include "status/node_status.h"

namespace patchbay::bench {

/// The status of a node with the last resolution. Each resource is registered and has one
/// allocation.
[[nodiscard]] status::NodeStatus status_of(const inventory::Inventory& inventory,
                                           status::Counters& counters);

}  // namespace patchbay::bench
