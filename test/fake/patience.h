#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

namespace patchbay::fake {

/// Time limit for an expected event. Only a failing test waits that long, so the limit does not
/// measure a machine's speed. It is large, because half a core with a sanitizer needs minutes for
/// seconds of work. For intentional failures, set a shorter one with $PATCHBAY_PATIENCE, in
/// seconds.
inline const std::chrono::milliseconds kPatience = [] {
  const char* seconds = std::getenv("PATCHBAY_PATIENCE");
  return std::chrono::seconds(seconds == nullptr ? 300 : std::atoi(seconds));
}();

/// Polls a condition that nobody notifies, such as the end of a foreign process or a file of the
/// kernel. Returns false if it is still false after `patience`.
[[nodiscard]] inline bool wait_until(const std::function<bool()>& holds,
                                     std::chrono::milliseconds patience = kPatience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    // Polling without a pause would take CPU time from the observed process.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace patchbay::fake
