#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace patchbay {

/// The width of the character in terminal columns: 2 for East Asian scripts and most emoji, 0 for
/// combining characters, else 1.
[[nodiscard]] int character_width(uint32_t code);

/// The width of a printable text (see text.h). Each byte that is not UTF-8 counts as one column.
[[nodiscard]] size_t text_width(std::string_view text);

/// The longest beginning, or end, of a printable text that fits into `columns`.
[[nodiscard]] std::string_view first_columns(std::string_view text, size_t columns);
[[nodiscard]] std::string_view last_columns(std::string_view text, size_t columns);

}  // namespace patchbay
