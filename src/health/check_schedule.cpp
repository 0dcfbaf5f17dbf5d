#include "health/check_schedule.h"

#include <algorithm>
#include <bit>

namespace patchbay::health {
namespace {

using loop::Milliseconds;
using loop::Time;

/// Coarsest grid: limits all probes together to one wake-up in this time.
constexpr Milliseconds kCoarsest{1024};

/// A fraction of the period that is a power of two. So times of a long period are also on the grid
/// of a short one.
Milliseconds time_grid(Milliseconds period) {
  const auto fraction =
      static_cast<uint64_t>(std::clamp(period / 8, Milliseconds(1), kCoarsest).count());
  return Milliseconds(std::bit_floor(fraction));
}

Time after_period(Time from, Milliseconds period, double random) {
  // Jitter of a sixteenth; the grid adds as much again.
  const auto jitter = std::chrono::duration_cast<Time::duration>(period * (random - 0.5) / 8);
  const auto grid = time_grid(period);
  const auto due = (from + period + jitter).time_since_epoch() + grid / 2;
  return Time(std::chrono::floor<Milliseconds>(due) / grid * grid);
}

}  // namespace

Time next_run(Time began, Time ended, Milliseconds period, double random) {
  const Time due = after_period(began, period, random);
  return due > ended ? due : after_period(ended, period, random);
}

Milliseconds time_until(Time due, Time now) {
  return std::max(std::chrono::ceil<Milliseconds>(due - now), Milliseconds(0));
}

}  // namespace patchbay::health
