#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/facts/device_tree.h"
#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::host {

/// The canonical syspaths, in natural order, of the kernel devices with that name in any subsystem.
/// A name with a slash may have the kernel's form (`cciss/c0d0`) or that of /sys (`cciss!c0d0`).
/// Blocking.
[[nodiscard]] std::vector<std::string> kernel_devices_named(const DeviceTree& tree,
                                                            std::string_view name);

/// Reads the entity that a person names: all facts that `query` wants, in every form in which rules
/// could match it. Blocking.
///
/// `what` is a path that may contain links, or `static:NAME`. A path below /sys gives the kernel
/// device or directory there, with found_by as for `sysfs:` patterns. A device node, or a link to
/// one, gives its kernel device and the path. Anything else that exists gives the path.
///
/// The result also has the paths that `glob:` patterns find and that lead to the same device or
/// file. The kernel device or directory comes first, then the named path.
///
/// `sysfs` differs from /sys only in tests.
[[nodiscard]] Result<std::vector<DeviceFactsPtr>> examine(const HostQueryPtr& query,
                                                          const paths::HostRoot& root,
                                                          const std::string& what,
                                                          const std::string& sysfs = "/sys");

}  // namespace patchbay::host
