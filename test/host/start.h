#pragma once

#include <chrono>

#include "loop/event_loop.h"

namespace patchbay::host {

/// An arbitrary start time for tests that control the time.
inline constexpr loop::Time kStart{std::chrono::hours(1)};

}  // namespace patchbay::host
