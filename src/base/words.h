#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace patchbay {

/// The words for the values of an enumeration, in the order of the values. Code that parses, prints
/// or documents the values uses this table. Specialise it beside the enumeration.
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kWords{};

template <typename Enum>
constexpr std::string_view word_of(Enum value) {
  return kWords<Enum>[static_cast<size_t>(value)];
}

/// Returns the value with that word, or nullopt.
template <typename Enum>
constexpr std::optional<Enum> from_word(std::string_view word) {
  const auto* const found = std::ranges::find(kWords<Enum>, word);
  if (found == kWords<Enum>.end()) return std::nullopt;
  return static_cast<Enum>(found - kWords<Enum>.begin());
}

}  // namespace patchbay
