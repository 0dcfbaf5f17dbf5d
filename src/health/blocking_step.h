#pragma once

#include <string>

#include "base/check.h"
#include "host/host_root.h"

namespace patchbay::health {

/// Does a step that writes or resets; why it failed, or empty. May block, or hang; any thread.
///
/// `write` is the shell's `>` to a file that exists: what it held is cut off, the value is written
/// in one piece, as it is. So files of /sys take it as one command. None is made.
[[nodiscard]] std::string run_blocking_step(const Step& step, const host::HostRoot& root);

}  // namespace patchbay::health
