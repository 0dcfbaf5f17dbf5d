#include "base/character_width.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace patchbay {
namespace {

struct Range {
  uint32_t first = 0;
  uint32_t last = 0;
};

/// Characters of width 2.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0xA4CF},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF},
    Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
/// Characters of width 0.
constexpr std::array kCombining = {Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF},
                                   Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}};
bool in(std::span<const Range> ranges, uint32_t code) {
  return std::ranges::any_of(
      ranges, [code](const Range& range) { return range.first <= code && code <= range.last; });
}

/// Length and width of the first character.
struct Measure {
  size_t bytes = 1;
  size_t columns = 1;
};

Measure first_measure(std::string_view text) {
  const auto [length, code] = first_character(text);
  if (length == 0) return {};
  return {length, static_cast<size_t>(character_width(code))};
}

}  // namespace

int character_width(uint32_t code) { return in(kCombining, code) ? 0 : in(kWide, code) ? 2 : 1; }

size_t text_width(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const Measure measure = first_measure(text);
    columns += measure.columns;
    text.remove_prefix(measure.bytes);
  }
  return columns;
}

std::string_view first_columns(std::string_view text, size_t columns) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    const Measure measure = first_measure(text.substr(bytes));
    if (measure.columns > columns) break;
    columns -= measure.columns;
    bytes += measure.bytes;
  }
  return text.substr(0, bytes);
}

std::string_view last_columns(std::string_view text, size_t columns) {
  size_t width = text_width(text);
  while (width > columns) {
    const Measure measure = first_measure(text);
    width -= measure.columns;
    text.remove_prefix(measure.bytes);
  }
  return text;
}

}  // namespace patchbay
