#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "paths/host_root.h"
#include "suggest/candidates.h"

namespace patchbay::suggest {

/// Finds the devices with that name; several devices can have the same name. A name can be:
/// - a device node, a link to one, or a path below /sys;
/// - a kernel name or a PCI address;
/// - `usb 0403:6001` or `usb 1-2.3`, for USB devices;
/// - a mount point, or the image file of a loop device, for a disk.
///
/// The Error suggests a similar name. Blocking.
[[nodiscard]] Result<std::vector<Wanted>> find_named_devices(const std::string& name,
                                                             const paths::HostRoot& root);

}  // namespace patchbay::suggest
