#pragma once

#include <string>

#include "base/facts.h"
#include "base/result.h"

/// What Allocate asks of the host's file system: one call to the kernel each. Any thread.
namespace patchbay::daemon {

[[nodiscard]] bool path_exists(const std::string& root, const std::string& path);

/// Links are followed. An Error names the path.
[[nodiscard]] Result<DeviceNumber> node_number(const std::string& root, const std::string& path);

}  // namespace patchbay::daemon
