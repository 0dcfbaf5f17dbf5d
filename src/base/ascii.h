#pragma once

#include <string>

namespace patchbay {

/// The lower case of an ASCII letter, whatever the locale. Other bytes are unchanged.
[[nodiscard]] constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string lower_case(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

}  // namespace patchbay
