#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

namespace patchbay::log {

/// Admits one line per second, for log lines that a client can cause at any rate. Any thread.
class RateLimitedLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kPause{1};

  /// Returns the number of lines that were suppressed before this line. Returns nullopt if this
  /// line must be suppressed, too.
  [[nodiscard]] std::optional<size_t> admit(Time now) {
    const std::lock_guard lock(mutex_);
    if (last_ && now < *last_ + kPause) {
      ++suppressed_;
      return std::nullopt;
    }
    last_ = now;
    return std::exchange(suppressed_, 0);
  }

 private:
  std::mutex mutex_;
  std::optional<Time> last_;  // Guarded by mutex_, as is suppressed_.
  size_t suppressed_ = 0;
};

}  // namespace patchbay::log
