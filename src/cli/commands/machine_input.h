#pragma once

#include <string>

#include "base/result.h"
#include "paths/host_root.h"

namespace patchbay::cli {

/// Reads a machine file into an in-memory file system. An Error names the file and the line.
/// Entries that cannot be represented are skipped, with a message on standard error. Blocking.
[[nodiscard]] Result<paths::HostRoot> read_recorded_root(const std::string& file);

}  // namespace patchbay::cli
