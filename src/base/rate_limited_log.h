#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

namespace patchbay::log {

/// Admits one line per second, for lines that others can cause at will. Any thread.
class RateLimitedLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kPause{1};

  /// Null: do not write the line. Otherwise the number of lines suppressed since the last one.
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
  std::optional<Time> last_;  // Guarded by mutex_, as is the next.
  size_t suppressed_ = 0;
};

}  // namespace patchbay::log
