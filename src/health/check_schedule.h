#pragma once

#include "loop/event_loop.h"

/// Schedule of repeated checks. Pure; `random` is from 0 up to 1.
namespace patchbay::health {

/// The next run: a period after the last one began, with a jitter of an eighth. If that time is
/// past, a period after the last one ended. Times are on a grid, so that many checks share one
/// wake-up.
[[nodiscard]] loop::Time next_run(loop::Time began, loop::Time ended, loop::Milliseconds period,
                                  double random);

/// The time until `due`, rounded up for the loop.
[[nodiscard]] loop::Milliseconds time_until(loop::Time due, loop::Time now);

}  // namespace patchbay::health
