#pragma once

#include <chrono>
#include <string>

namespace patchbay {

/// Returns a text such as "2026-11-20T22:06:21Z".
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point at);

/// Converts times of the steady clock to wall clock time. Uses an offset that was measured once, so
/// that equal times always give equal texts.
struct WallClock {
  std::chrono::system_clock::duration ahead{};  ///< The offset.

  /// Measures the offset.
  [[nodiscard]] static WallClock now();
  /// Returns a text such as "2026-11-20T22:06:21Z".
  [[nodiscard]] std::string text(std::chrono::steady_clock::time_point time) const;
};

}  // namespace patchbay
