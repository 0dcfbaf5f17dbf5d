#pragma once

#include "model/node_hardware.h"
#include "paths/host_root.h"

namespace patchbay::host {

/// Limit of listed devices.
inline constexpr size_t kMaxHardwareDevices = 20'000;

/// The current devices on PCI and USB, and of each class. Reads only what is in the kernel's
/// memory, and never contacts a device. May still block: call it on a work thread.
[[nodiscard]] NodeHardware read_node_hardware(const paths::HostRoot& root = {});

}  // namespace patchbay::host
