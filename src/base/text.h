#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

inline constexpr std::string_view kDigits = "0123456789";
inline constexpr std::string_view kHexDigits = "0123456789abcdef";  ///< As the kernel writes them.

/// ASCII only, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The lower case of an ASCII letter, whatever the locale. Other bytes are unchanged.
[[nodiscard]] constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string lower_case(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view text);

/// Whether `text` contains a control character (below U+0020, or U+007F to U+009F).
[[nodiscard]] bool has_control_character(std::string_view text);

/// The first character of a text that is not empty.
struct Character {
  size_t length = 0;  ///< In bytes. 0: malformed UTF-8.
  uint32_t code = 0;
};
[[nodiscard]] Character first_character(std::string_view text);

/// Whether the character is dangerous to print. Terminals interpret controls (including C1). Marks
/// that change the direction of text or have no width can mislead readers.
[[nodiscard]] bool is_harmful(uint32_t code);

/// Longest part, in bytes, of a word from a file or command line that a message shows.
inline constexpr size_t kMaxShown = 60;

/// `text` safe to print: bad UTF-8 and controls as \xNN, other harmful characters as \uNNNN, cut
/// after `limit` bytes with "…".
[[nodiscard]] std::string printable(std::string_view text, size_t limit = 200);

/// The number of characters. Each byte that is not UTF-8 counts as one.
[[nodiscard]] size_t text_width(std::string_view text);

/// The longest beginning, or end, of a text with at most that many characters.
[[nodiscard]] std::string_view first_columns(std::string_view text, size_t columns);
[[nodiscard]] std::string_view last_columns(std::string_view text, size_t columns);

/// Natural order: runs of digits compare as numbers, so eth2 comes before eth10. A total order:
/// equal numbers with different leading zeros are ordered bytewise.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

struct NaturalLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return natural_less(a, b); }
};

/// The candidate nearest to `word` by edit distance, whatever the case of letters, for "did you
/// mean". Null if none is near.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string_view> candidates);

/// 64-bit FNV-1a, for stable short names (sockets, shortened ids). Never changes between releases.
[[nodiscard]] uint64_t stable_hash(std::string_view text);

/// The first `digits` (at most 16) hex digits of stable_hash().
[[nodiscard]] std::string stable_hash_hex(std::string_view text, size_t digits);

/// `text` without trailing white space and NULs, as values read from the host are compared.
[[nodiscard]] std::string_view trim_end(std::string_view text);

/// `text` split at each `separator`; empty components are kept.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Whether a list separated by spaces contains the word.
[[nodiscard]] bool contains_word(std::string_view words, std::string_view word);

/// The parts, joined with `separator` between them.
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// The last component of a path: "tap7" for "/dev/tap7".
[[nodiscard]] std::string_view base_name(std::string_view path);

}  // namespace patchbay
