#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace patchbay::serve {

/// So many a second, and so many at once after a rest. Pure.
class LeakyBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  LeakyBucket(double at_once, double a_second) : most_(at_once), rate_(a_second), left_(at_once) {}

  /// False: it is more than that.
  [[nodiscard]] bool take(double count, Time now) {
    refill(now);
    left_ -= count;
    return left_ >= 0;
  }
  /// So many more may come, but never more than at once.
  void give(double count) { left_ = std::min(most_, left_ + count); }
  /// How many may come at once now.
  [[nodiscard]] double left(Time now) {
    refill(now);
    return left_;
  }
  /// How many of those that may come at once were taken a moment ago.
  [[nodiscard]] double taken(Time now) { return most_ - left(now); }

 private:
  void refill(Time now) {
    if (at_ && *at_ < now) give(std::chrono::duration<double>(now - *at_).count() * rate_);
    if (!at_ || *at_ < now) at_ = now;
  }

  double most_;
  double rate_;
  double left_;
  std::optional<Time> at_;
};

}  // namespace patchbay::serve
