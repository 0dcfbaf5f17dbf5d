#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace patchbay::serve {

/// So many a second, and so many at once after a rest. Pure.
class LeakyBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  LeakyBucket(double burst, double per_second)
      : burst_(burst), rate_(per_second), available_(burst) {}

  /// False: it is more than that.
  [[nodiscard]] bool take(double count, Time now) {
    refill(now);
    available_ -= count;
    return available_ >= 0;
  }
  /// So many more may come, but never more than at once.
  void give(double count) { available_ = std::min(burst_, available_ + count); }
  /// How many may come at once now.
  [[nodiscard]] double available(Time now) {
    refill(now);
    return available_;
  }
  /// How many of those that may come at once were taken a moment ago.
  [[nodiscard]] double taken(Time now) { return burst_ - available(now); }

 private:
  void refill(Time now) {
    if (at_ && *at_ < now) give(std::chrono::duration<double>(now - *at_).count() * rate_);
    if (!at_ || *at_ < now) at_ = now;
  }

  double burst_;
  double rate_;
  double available_;
  std::optional<Time> at_;
};

}  // namespace patchbay::serve
