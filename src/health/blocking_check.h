#pragma once

#include <string>

#include "base/check.h"
#include "host/host_root.h"

namespace patchbay::health {

/// Runs a check that opens or reads something. May block, or hang; any thread.
[[nodiscard]] CheckResult run_blocking_check(const Check& check, const host::HostRoot& root);

}  // namespace patchbay::health
