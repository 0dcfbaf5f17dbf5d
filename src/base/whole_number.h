#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace patchbay {

/// Parses all of `text` as a number in digits of `base`. A leading '-' is valid only if T is
/// signed. Returns nullopt for any other text, and for a number that does not fit into T.
template <std::integral T>
[[nodiscard]] std::optional<T> parse_whole(std::string_view text, int base = 10) {
  T number{};
  const auto [stop, error] = std::from_chars(text.begin(), text.end(), number, base);
  if (error != std::errc{} || stop != text.end()) return std::nullopt;
  return number;
}

}  // namespace patchbay
