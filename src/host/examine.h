#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/facts/device_tree.h"
#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::host {

/// Returns the canonical syspaths of all kernel devices with that name, in natural order. A name
/// with a slash may have the kernel's form (`cciss/c0d0`) or that of /sys (`cciss!c0d0`). Blocking.
[[nodiscard]] std::vector<std::string> kernel_devices_named(const DeviceTree& tree,
                                                            std::string_view name);

/// Reads an entity that a user names, with all facts that `query` wants. Returns each form in which
/// a rule could match the entity, such as a kernel device and its node. Blocking.
///
/// `what` is a path that may contain links, or `static:NAME`. For a path below /sys, the result has
/// the kernel device or directory there, with found_by as for `sysfs:` rules. For a device node, or
/// a link to one, it has the kernel device and the path. For any other path that exists, it has the
/// path.
///
/// The result also has other paths to the same device or file, if `glob:` patterns find them. The
/// kernel device or directory comes first, then the named path.
///
/// `sysfs` differs from /sys only in tests.
[[nodiscard]] Result<std::vector<DeviceFactsPtr>> examine(const HostQueryPtr& query,
                                                          const paths::HostRoot& root,
                                                          const std::string& what,
                                                          const std::string& sysfs = "/sys");

}  // namespace patchbay::host
