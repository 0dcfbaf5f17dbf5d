#pragma once

namespace patchbay {

/// The lower case of an ASCII letter, whatever the locale. Other bytes are unchanged.
[[nodiscard]] constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace patchbay
