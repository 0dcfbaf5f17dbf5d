#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {

/// A duration as the configuration writes it: "1h30m", "2s", "1500ms".
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

/// The inverse of duration_text(). Null if `text` is not a duration; milliseconds::max() if a
/// number in it is too large for any use.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The age, in the largest unit that is not 0: "5s", "3m", "2h", "4d".
[[nodiscard]] std::string age_text(std::chrono::steady_clock::duration age);

}  // namespace patchbay
