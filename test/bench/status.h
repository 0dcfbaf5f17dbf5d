#pragma once

#include "inventory/inventory.h"
#include "observe/counters.h"
#include "observe/node_status.h"

namespace patchbay::bench {

/// The status of a node with the last resolution. Each resource is registered and has one
/// allocation.
[[nodiscard]] observe::NodeStatus status_of(const inventory::Inventory& inventory,
                                            observe::Counters& counters);

}  // namespace patchbay::bench
