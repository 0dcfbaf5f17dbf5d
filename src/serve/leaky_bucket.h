#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace patchbay::serve {

/// Limits a rate: `per_second` on average, and at most `burst` at once. Pure.
class LeakyBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  LeakyBucket(double burst, double per_second)
      : burst_(burst), rate_(per_second), available_(burst) {}

  /// False: it exceeds the limit.
  [[nodiscard]] bool take(double count, Time now) {
    refill(now);
    available_ -= count;
    return available_ >= 0;
  }
  /// Returns `count` to the bucket, up to `burst`.
  void give(double count) { available_ = std::min(burst_, available_ + count); }
  /// Returns the number allowed at once now.
  [[nodiscard]] double available(Time now) {
    refill(now);
    return available_;
  }
  /// Returns how much of the burst is in use.
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
