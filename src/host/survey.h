#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/facts.h"
#include "host/host_root.h"

/// What there is of the kinds that rules look at, for a person who asks why nothing matches. Any
/// thread; blocking, also on a slow driver or a file system that does not answer.
namespace patchbay::host {

/// All that `query` wants to know of the things that its rules look at, whether a rule can match
/// them or not: kernel devices of its subsystems, what its patterns find, and its static names. In
/// natural order of keys; the first `most` of them.
///
/// `sysfs` is another directory than /sys in tests only.
[[nodiscard]] std::vector<DeviceFactsPtr> survey(const HostQueryPtr& query, const HostRoot& root,
                                                 size_t most, const std::string& sysfs = "/sys");

/// The subsystems that the kernel knows, with or without devices; sorted.
[[nodiscard]] std::vector<std::string> known_subsystems(const std::string& sysfs = "/sys");

/// How far a path exists: the longest part of it that leads to something, "/" at the least.
[[nodiscard]] std::string existing_prefix(const std::string& path, const HostRoot& root);

}  // namespace patchbay::host
