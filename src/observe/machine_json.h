#pragma once

#include "base/json_text.h"
#include "base/node_hardware.h"
#include "observe/node_status.h"

namespace patchbay::observe {

/// The node as a tree of what hangs on what, and which units each thing is; then the units that are
/// of nothing in it. A thing that is on no bus is told only where it is a unit. Pure.
[[nodiscard]] Json machine_json(const NodeStatus& status, const NodeHardware& machine);

}  // namespace patchbay::observe
