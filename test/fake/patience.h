#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

namespace patchbay::fake {

/// How long a test waits for what must happen: only a test that fails waits that long. A deadline
/// is there to end what hangs, never to measure how fast a machine is. Half a core, beside other
/// work, under a sanitizer, takes some minutes for what takes a developer's machine seconds.
/// $PATCHBAY_PATIENCE, in seconds, is for who breaks something on purpose.
inline const std::chrono::milliseconds kPatience = [] {
  const char* seconds = std::getenv("PATCHBAY_PATIENCE");
  return std::chrono::seconds(seconds == nullptr ? 300 : std::atoi(seconds));
}();

/// Waits for what nothing tells of, and so is asked for: the end of a process that is not ours, a
/// file of the kernel. False: it did not hold within `patience`.
[[nodiscard]] inline bool wait_until(const std::function<bool()>& holds,
                                     std::chrono::milliseconds patience = kPatience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    // To ask without a pause takes from a small machine what it is waited for.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace patchbay::fake
