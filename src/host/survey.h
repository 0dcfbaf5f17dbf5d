#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"
#include "model/facts.h"
#include "paths/host_root.h"

/// Lists the entities that rules apply to, to explain why no device matches. Any thread. May block
/// on a slow driver or an unresponsive file system.
namespace patchbay::host {

/// Reads the kernel devices of the query's subsystems, the matches of its patterns, and its static
/// names, whether or not a rule matches. Returns the first `most`, in natural order of keys.
///
/// `sysfs` differs from /sys only in tests.
[[nodiscard]] std::vector<DeviceFactsPtr> survey(const HostQueryPtr& query,
                                                 const paths::HostRoot& root, size_t most,
                                                 const std::string& sysfs = "/sys");

/// Returns the subsystems that the kernel knows, with or without devices; sorted.
[[nodiscard]] std::vector<std::string> known_subsystems(const DeviceTree& tree);

/// Returns the path if it exists, otherwise its nearest existing parent; at least "/".
[[nodiscard]] std::string existing_prefix(const std::string& path, const paths::HostRoot& root);

}  // namespace patchbay::host
