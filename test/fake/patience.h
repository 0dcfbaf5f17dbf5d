#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

namespace patchbay::fake {

/// Time limit for an expected event; only a failing test waits that long. A deadline ends hung
/// tests and never measures a machine's speed. Half a core under a sanitizer, beside other work,
/// needs minutes for seconds of work on a developer's machine. $PATCHBAY_PATIENCE, in seconds,
/// helps with intentional failures.
inline const std::chrono::milliseconds kPatience = [] {
  const char* seconds = std::getenv("PATCHBAY_PATIENCE");
  return std::chrono::seconds(seconds == nullptr ? 300 : std::atoi(seconds));
}();

/// Polls a condition without notification, such as the end of a foreign process or a file of the
/// kernel. False: it did not become true within `patience`.
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
