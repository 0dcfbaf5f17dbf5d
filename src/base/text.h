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

/// Whether `c` is an ASCII digit or letter, in any locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns an ASCII letter in lower case, in any locale. Other bytes are unchanged.
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

/// The first character of a text, which must not be empty.
struct Character {
  size_t length = 0;  ///< In bytes. 0: malformed UTF-8.
  uint32_t code = 0;
};
[[nodiscard]] Character first_character(std::string_view text);

/// Whether the character is dangerous to print. Terminals execute control characters. Characters
/// that have no width, or change the direction of text, can mislead readers.
[[nodiscard]] bool is_harmful(uint32_t code);

/// Messages show at most this many bytes of a word from a file or a command line.
inline constexpr size_t kMaxShown = 60;

/// Returns the text in a form that is safe to print. Invalid UTF-8 and controls become \xNN, and
/// other harmful characters \uNNNN. The result ends with "…" if it is cut after `limit` bytes.
[[nodiscard]] std::string printable(std::string_view text, size_t limit = 200);

/// The number of characters. Each byte that is not UTF-8 counts as one.
[[nodiscard]] size_t text_width(std::string_view text);

/// The first, or the last, `columns` characters of a text.
[[nodiscard]] std::string_view first_columns(std::string_view text, size_t columns);
[[nodiscard]] std::string_view last_columns(std::string_view text, size_t columns);

/// Whether `a` is before `b` in natural order, in which digits count as numbers: eth2 is before
/// eth10. It is a total order: equal numbers with different leading zeros are compared bytewise.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

struct NaturalLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return natural_less(a, b); }
};

/// Returns the candidate nearest to `word`, for hints such as "did you mean 'gpu'?". The distance
/// is the edit distance without the case of letters. Nullopt if no candidate is near enough.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string_view> candidates);

/// The 64-bit FNV-1a hash, for short names such as shortened ids. All versions of Patchbay give the
/// same hash.
[[nodiscard]] uint64_t stable_hash(std::string_view text);

/// The first `digits` (at most 16) hex digits of stable_hash().
[[nodiscard]] std::string stable_hash_hex(std::string_view text, size_t digits);

/// Returns the text without trailing white space and NULs, for values that are read from the host.
[[nodiscard]] std::string_view trim_end(std::string_view text);

/// Splits the text at each `separator`, and keeps empty components.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Whether a list separated by spaces contains the word.
[[nodiscard]] bool contains_word(std::string_view words, std::string_view word);

/// Joins the parts, with `separator` between them.
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// The last component of a path: "tap7" for "/dev/tap7".
[[nodiscard]] std::string_view base_name(std::string_view path);

}  // namespace patchbay
