#pragma once

#include "inventory/inventory.h"
#include "observe/counters.h"
#include "observe/node_status.h"

namespace patchbay::bench {

/// The status of a node with what was resolved last; each resource is registered, and has been
/// allocated once.
[[nodiscard]] observe::NodeStatus status_of(const inventory::Inventory& inventory,
                                            observe::Counters& counters);

}  // namespace patchbay::bench
