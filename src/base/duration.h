#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {

/// A length of time as the configuration writes it: "1h30m", "2s", "1500ms".
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

/// The other way. None if `text` is no duration; milliseconds::max() if a number in it is too large
/// for any use.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// How old something is, in the largest unit that it fills: "5s", "3m", "2h", "4d".
[[nodiscard]] std::string age_text(std::chrono::steady_clock::duration age);

}  // namespace patchbay
