#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::host {

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
