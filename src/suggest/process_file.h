#pragma once

#include <string>

#include "paths/host_root.h"

namespace patchbay::suggest {

/// A file of the node's first process, such as `mounts`: its mounts and its network are those of
/// the node. If it cannot be read, as in a container, the same file of this process. Empty: there
/// is none. Blocking.
[[nodiscard]] std::string read_process_file(const paths::HostRoot& root, const std::string& name);

}  // namespace patchbay::suggest
