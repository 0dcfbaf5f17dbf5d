#pragma once

#include "loop/event_loop.h"

/// When a check that is repeated runs. Pure; `random` is from 0 up to 1.
namespace patchbay::health {

/// The first run: soon, but not together with that of all others.
inline constexpr loop::Milliseconds kFirstWithin{2000};
[[nodiscard]] loop::Time first_run(loop::Time now, loop::Milliseconds period, double random);

/// The next run after one that began and ended so: a period after it began, an eighth more or less;
/// if that is over, a period after it ended. Times are on a grid, so that many checks share one
/// wake-up.
[[nodiscard]] loop::Time next_run(loop::Time began, loop::Time ended, loop::Milliseconds period,
                                  double random);

/// How long to wait for a time, as the loop counts.
[[nodiscard]] loop::Milliseconds time_until(loop::Time due, loop::Time now);

}  // namespace patchbay::health
