#pragma once

#include <string>

#include "model/check.h"
#include "paths/host_root.h"

namespace patchbay::health {

/// Runs a check that opens or reads something. May block, or hang; any thread.
[[nodiscard]] CheckResult run_blocking_check(const Check& check, const paths::HostRoot& root);

}  // namespace patchbay::health
