#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "paths/host_root.h"
#include "suggest/candidates.h"

namespace patchbay::suggest {

/// Finds the devices with that name; several devices can have one name. Names are: a device node, a
/// link to it, a path below /sys, a name of the kernel, a PCI address. `usb 0403:6001` and `usb
/// 1-2.3` name USB devices. A mount point, and the image file of a loop disk, name a disk. The
/// Error suggests a similar name. Blocking.
[[nodiscard]] Result<std::vector<Wanted>> find_named_devices(const std::string& name,
                                                             const paths::HostRoot& root);

}  // namespace patchbay::suggest
