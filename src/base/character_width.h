#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace patchbay {

/// How many columns a terminal gives the character: 2 for East Asian scripts and most emoji, 0 for
/// what is drawn onto the character before, else 1.
[[nodiscard]] int character_width(uint32_t code);

/// Of a text that is printable (see text.h). Bytes that are no UTF-8 count as one column each.
[[nodiscard]] size_t text_width(std::string_view text);

/// The longest beginning, or end, of a printable text with at most that many columns.
[[nodiscard]] std::string_view first_columns(std::string_view text, size_t columns);
[[nodiscard]] std::string_view last_columns(std::string_view text, size_t columns);

}  // namespace patchbay
