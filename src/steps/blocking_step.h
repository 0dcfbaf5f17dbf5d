#pragma once

#include <string>

#include "model/check.h"
#include "paths/host_root.h"

namespace patchbay::steps {

/// Runs a step that writes or resets. Returns the reason of a failure, or an empty text. May block,
/// or hang; any thread.
///
/// `write` works like the shell's `>` on an existing file: it truncates the file and writes the
/// value unchanged, in one call. So files of /sys receive it as one command. No file is created.
[[nodiscard]] std::string run_blocking_step(const Step& step, const paths::HostRoot& root);

}  // namespace patchbay::steps
