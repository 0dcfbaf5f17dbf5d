#pragma once

#include "base/node_hardware.h"
#include "host/host_root.h"

namespace patchbay::host {

/// As many things of a node as are told.
inline constexpr size_t kMaxHardwareDevices = 20'000;

/// What is on PCI and USB now, and what of each class of devices there is. Only what the kernel has
/// in its memory is read of it, none of which asks the device. May block all the same: on a work
/// thread.
[[nodiscard]] NodeHardware read_node_hardware(const HostRoot& root = {});

}  // namespace patchbay::host
