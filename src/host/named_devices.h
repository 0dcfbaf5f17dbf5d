#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts/device_tree.h"

namespace patchbay::host {

/// The canonical syspaths, in natural order, of the kernel devices with that name in any subsystem.
/// A name with a slash may have the kernel's form (`cciss/c0d0`) or that of /sys (`cciss!c0d0`).
/// Blocking.
[[nodiscard]] std::vector<std::string> kernel_devices_named(const DeviceTree& tree,
                                                            std::string_view name);

}  // namespace patchbay::host
