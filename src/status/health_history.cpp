#include "status/health_history.h"

#include <algorithm>

namespace patchbay::status {
namespace {

size_t slot_of(long interval) { return static_cast<size_t>(interval) % HealthHistory::kIntervals; }

HealthHistory::State state_of(size_t units, size_t healthy) {
  using State = HealthHistory::State;
  if (units == 0) return State::none;
  if (healthy == units) return State::healthy;
  return healthy == 0 ? State::unhealthy : State::degraded;
}

}  // namespace

/// Intervals without a note keep the last noted state.
void HealthHistory::advance_to(long interval) {
  const long first = std::max(newest_ + 1, interval - static_cast<long>(kIntervals) + 1);
  for (long passed = first; passed <= interval; ++passed) worst_.at(slot_of(passed)) = current_;
  newest_ = std::max(newest_, interval);
}

void HealthHistory::note(size_t units, size_t healthy, Time now) {
  const State state = state_of(units, healthy);
  const long interval = interval_of(now);
  if (current_ == State::unknown) {
    first_ = now;
    newest_ = interval;
  } else {
    advance_to(interval);
  }
  current_ = state;
  State& worst = worst_.at(slot_of(newest_));
  worst = std::max(worst, state);
}

std::vector<HealthHistory::Span> HealthHistory::spans(Time now) const {
  std::vector<Span> spans;
  if (current_ == State::unknown) return spans;
  const long last = std::max(interval_of(now), newest_);
  const long first = std::max(interval_of(first_), last - static_cast<long>(kIntervals) + 1);
  for (long interval = first; interval <= last; ++interval) {
    const State state = interval > newest_ ? current_ : worst_.at(slot_of(interval));
    if (!spans.empty() && spans.back().state == state) continue;
    spans.push_back({.from = std::max(first_, Time(interval * kInterval)), .state = state});
  }
  return spans;
}

}  // namespace patchbay::status
