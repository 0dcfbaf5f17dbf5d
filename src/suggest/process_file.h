#pragma once

#include <string>

#include "paths/host_root.h"

namespace patchbay::suggest {

/// Reads a file of process 1 below /proc, such as `mounts`, because the mounts and the network of
/// process 1 are those of the node. If that file cannot be read, as in a container, reads the same
/// file of this process. Empty if neither file can be read. Blocking.
[[nodiscard]] std::string read_process_file(const paths::HostRoot& root, const std::string& name);

}  // namespace patchbay::suggest
