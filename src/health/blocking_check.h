#pragma once

#include <string>

#include "base/check.h"

namespace patchbay::health {

/// The result of a check that opens or reads something. May block, or hang; any thread.
[[nodiscard]] CheckResult check_blocking(const Check& check, const std::string& root);

}  // namespace patchbay::health
