#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ranges>
#include <utility>

namespace patchbay {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The length of the well-formed UTF-8 sequence at the start of `text`. 0 if there is none.
size_t sequence_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  if (!std::ranges::all_of(text.substr(1, length - 1), is_continuation)) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_big = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_big ? 0 : length;
}

struct CodeRange {
  uint32_t first = 0;
  uint32_t last = 0;
};

constexpr std::array kHarmful = {CodeRange{0x00, 0x1F},     CodeRange{0x7F, 0x9F},
                                 CodeRange{0x200B, 0x200F}, CodeRange{0x2028, 0x202E},
                                 CodeRange{0x2060, 0x206F}, CodeRange{0xFEFF, 0xFEFF}};

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

/// The length of the first character; 1 if it is not UTF-8.
size_t first_bytes(std::string_view text) {
  return std::max<size_t>(first_character(text).length, 1);
}

/// The value of the number at the start of the text: its digits without leading zeros.
std::string_view number_at(std::string_view text) {
  const auto* const first = std::ranges::find_if_not(text, [](char c) { return c == '0'; });
  return {first, std::ranges::find_if_not(first, text.end(), is_digit)};
}

/// The length of the common prefix.
size_t common_length(std::string_view a, std::string_view b) {
  const size_t shorter = std::min(a.size(), b.size());
  size_t same = 0;
  // Compares words of memory: paths often have a long common prefix.
  for (uint64_t one = 0, other = 0; same + sizeof one <= shorter; same += sizeof one) {
    std::memcpy(&one, a.data() + same, sizeof one);
    std::memcpy(&other, b.data() + same, sizeof other);
    if (one != other) break;
  }
  while (same < shorter && a[same] == b[same]) ++same;
  return same;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool has_control_character(std::string_view text) {
  if (std::ranges::any_of(text, is_control)) return true;
  // Controls above U+007F, as UTF-8.
  for (size_t at = text.find('\xC2'); at < text.size(); at = text.find('\xC2', at + 1)) {
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
    if (next >= 0x80 && next < 0xA0) return true;
  }
  return false;
}

Character first_character(std::string_view text) {
  constexpr std::array<uint32_t, 5> kMasks{0, 0x7F, 0x1F, 0x0F, 0x07};
  const size_t length = sequence_length(text);
  if (length == 0) return {};
  uint32_t code = static_cast<unsigned char>(text[0]) & kMasks.at(length);
  for (const char c : text.substr(1, length - 1)) {
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return {.length = length, .code = code};
}

bool is_harmful(uint32_t code) {
  return std::ranges::any_of(kHarmful, [code](const CodeRange& range) {
    return range.first <= code && code <= range.last;
  });
}

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit) return out + "…";
    const auto [length, code] = first_character(text);
    if (length > 0 && !is_harmful(code)) {
      out += text.substr(0, length);
    } else {
      const bool byte = length <= 1;
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), byte ? "\\x%02x" : "\\u%04x",
                    byte ? static_cast<unsigned>(static_cast<unsigned char>(text[0])) : code);
      out += escaped.data();
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

size_t text_width(std::string_view text) {
  size_t width = 0;
  for (; !text.empty(); ++width) text.remove_prefix(first_bytes(text));
  return width;
}

std::string_view first_columns(std::string_view text, size_t columns) {
  size_t bytes = 0;
  for (; columns > 0 && bytes < text.size(); --columns) bytes += first_bytes(text.substr(bytes));
  return text.substr(0, bytes);
}

std::string_view last_columns(std::string_view text, size_t columns) {
  for (size_t width = text_width(text); width > columns; --width) {
    text.remove_prefix(first_bytes(text));
  }
  return text;
}

bool natural_less(std::string_view a, std::string_view b) {
  // Without the common prefix, up to the number in which the texts differ.
  size_t same = common_length(a, b);
  while (same > 0 && is_digit(a[same - 1])) --same;
  a.remove_prefix(same);
  b.remove_prefix(same);
  if (a.empty() || b.empty() || !is_digit(a[0]) || !is_digit(b[0])) return a < b;
  const auto one = number_at(a);
  const auto other = number_at(b);
  if (one.size() != other.size()) return one.size() < other.size();
  return one == other ? a < b : one < other;
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  std::optional<std::string> best;
  size_t best_distance = std::max<size_t>(1, std::max<size_t>(word.size(), 3) / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

uint64_t stable_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::string stable_hash_hex(std::string_view text, size_t digits) {
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx",
                static_cast<unsigned long long>(stable_hash(text)));
  return std::string(hex.data(), std::min<size_t>(digits, 16));
}

std::string_view trim_end(std::string_view text) {
  const size_t last = text.find_last_not_of(std::string_view(" \t\r\n\v\f\0", 7));
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  while (true) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

bool contains_word(std::string_view words, std::string_view word) {
  return std::ranges::any_of(std::views::split(words, ' '), [&](const auto& entry) {
    return std::string_view(entry.begin(), entry.end()) == word;
  });
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty() || &part != parts.data()) out += separator;
    out += part;
  }
  return out;
}

std::string_view base_name(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace patchbay
