#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {

/// Returns a duration in the format of the configuration: "1h30m", "2s", "1500ms".
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

/// Parses a duration in the same format. Returns nullopt if `text` is not a duration, and
/// milliseconds::max() if a number in it does not fit into 32 bits.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// Returns the age in the largest of days, hours, minutes and seconds that is not 0: "5s" or "4d".
[[nodiscard]] std::string age_text(std::chrono::steady_clock::duration age);

}  // namespace patchbay
