#pragma once

#include <chrono>

#include "loop/event_loop.h"

namespace patchbay::host {

/// Any time at all: where tests begin that say what time it is.
inline constexpr loop::Time kStart{std::chrono::hours(1)};

}  // namespace patchbay::host
