#pragma once

#include "base/json_text.h"
#include "model/node_hardware.h"
#include "status/node_status.h"

namespace patchbay::render {

/// The hardware of the node as a tree, with the units of each entry, then the units without a bus.
/// Hardware that is on no bus appears only if it is a unit. Pure.
[[nodiscard]] Json machine_json(const status::NodeStatus& status, const NodeHardware& machine);

}  // namespace patchbay::render
