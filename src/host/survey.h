#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"
#include "model/facts.h"
#include "paths/host_root.h"

/// Lists the entities in the scope of rules, to explain why no device matches. Any thread;
/// blocking, also on a slow driver or an unresponsive file system.
namespace patchbay::host {

/// All facts that `query` wants of the entities in the scope of its rules, whether or not a rule
/// can match them. These are kernel devices of its subsystems, matches of its patterns, and its
/// static names. In natural order of keys; the first `most` of them.
///
/// `sysfs` differs from /sys only in tests.
[[nodiscard]] std::vector<DeviceFactsPtr> survey(const HostQueryPtr& query,
                                                 const paths::HostRoot& root, size_t most,
                                                 const std::string& sysfs = "/sys");

/// The subsystems that the kernel knows, with or without devices; sorted.
[[nodiscard]] std::vector<std::string> known_subsystems(const DeviceTree& tree);

/// The longest prefix of a path that exists; at least "/".
[[nodiscard]] std::string existing_prefix(const std::string& path, const paths::HostRoot& root);

}  // namespace patchbay::host
