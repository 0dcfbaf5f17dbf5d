#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace patchbay::kube {

/// The delays between the attempts of one activity: random, between a half and all of a limit that
/// doubles. So the nodes of a cluster do not retry together. One thread.
class Backoff {
 public:
  using Milliseconds = std::chrono::milliseconds;

  struct Limits {
    Milliseconds min{200};
    Milliseconds max{30'000};
  };

  explicit Backoff(Limits limits) : limits_(limits) {}

  /// The delay before the next attempt.
  [[nodiscard]] Milliseconds next() {
    limit_ = std::clamp(2 * limit_, 2 * limits_.min, limits_.max);
    std::uniform_int_distribution<int64_t> delay(limit_.count() / 2, limit_.count());
    return Milliseconds(delay(random_));
  }

  /// The next delay is one of the longest.
  void slow_down() { limit_ = limits_.max; }

  /// The activity succeeded.
  void reset() { limit_ = {}; }

 private:
  Limits limits_;
  Milliseconds limit_{};
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace patchbay::kube
