#pragma once

#include <string>

#include "base/result.h"
#include "paths/host_root.h"

namespace patchbay::cli {

/// The file system of the recorded machine in a file. An Error names the file and the line.
/// Standard error gets what is left out. Blocking.
[[nodiscard]] Result<paths::HostRoot> read_recorded_root(const std::string& file);

}  // namespace patchbay::cli
