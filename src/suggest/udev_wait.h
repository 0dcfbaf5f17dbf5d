#pragma once

#include <chrono>

#include "paths/host_root.h"
#include "suggest/candidates.h"

namespace patchbay::suggest {

/// Waits until udev has processed the device, so that its links and properties are complete. Does
/// not wait for a device whose node is not new. Returns false at the deadline. Blocking.
[[nodiscard]] bool wait_for_udev(const Wanted& wanted, const paths::HostRoot& root,
                                 std::chrono::steady_clock::time_point deadline);

}  // namespace patchbay::suggest
