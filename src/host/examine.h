#pragma once

#include <string>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "host/host_root.h"

namespace patchbay::host {

/// All that `query` wants to know of the thing that a person names, in every form in which rules
/// may look at it, without regard to whether they do. Blocking.
///
/// `what` is a path with all kinds of links on its way, or `static:NAME`:
/// - below /sys: the kernel device or directory there, found_by as for `sysfs:` patterns;
/// - a device node, or a link to one: its kernel device, and the path;
/// - anything else that exists: the path.
/// To these come the paths that `glob:` patterns find and that lead to the same device or file. The
/// kernel device or directory is first, the path as named next.
///
/// `sysfs` is another directory than /sys in tests only.
[[nodiscard]] Result<std::vector<DeviceFactsPtr>> examine(const HostQueryPtr& query,
                                                          const HostRoot& root,
                                                          const std::string& what,
                                                          const std::string& sysfs = "/sys");

}  // namespace patchbay::host
