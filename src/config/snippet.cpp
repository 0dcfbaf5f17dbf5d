#include "config/snippet.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/character_width.h"
#include "base/charset.h"
#include "base/text.h"

namespace patchbay::config {
namespace {

constexpr int kMaxWidth = 90;
constexpr size_t kMaxBytes = size_t{4} * kMaxWidth;  ///< On each side of the caret.

/// One character as displayed.
struct TerminalCell {
  std::string text;
  size_t offset = 0;  ///< Offset of its first byte in the line.
  int width = 1;
};

/// The first character of `text` as displayed, and its length in bytes.
std::pair<TerminalCell, size_t> first_cell(std::string_view text) {
  if (text[0] == '\t') return {{.text = " "}, 1};
  const auto [length, code] = first_character(text);
  const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
  if (length == 0 || is_harmful(code)) {
    const std::string shown = printable(character);
    return {{.text = shown, .width = static_cast<int>(shown.size())}, character.size()};
  }
  std::string shown = to_locale(std::string(character));
  const int width = shown == character ? character_width(code) : static_cast<int>(shown.size());
  return {{.text = std::move(shown), .width = width}, length};
}

/// A substring of a line, with its offset.
struct LineWindow {
  std::string_view text;
  size_t offset = 0;
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The bytes near `target`, so that a line of a megabyte is cheap.
LineWindow near_bytes(std::string_view line, size_t target) {
  size_t first = target > kMaxBytes ? target - kMaxBytes : 0;
  while (first > 0 && first < target && is_continuation(line[first])) ++first;
  return {line.substr(first, target - first + kMaxBytes), first};
}

std::vector<TerminalCell> to_cells(const LineWindow& window) {
  std::vector<TerminalCell> cells;
  for (size_t at = 0; at < window.text.size();) {
    auto [cell, length] = first_cell(window.text.substr(at));
    cell.offset = window.offset + at;
    cells.push_back(std::move(cell));
    at += length;
  }
  return cells;
}

/// The index of the first displayed cell: those before the caret fill at most half the width.
size_t first_shown(std::span<const TerminalCell> cells, size_t caret) {
  int total = 0;
  for (const TerminalCell& cell : cells) total += cell.width;
  size_t first = total <= kMaxWidth ? 0 : caret;
  for (int width = 0; first > 0; --first) {
    width += cells[first - 1].width;
    if (width > kMaxWidth / 2) break;
  }
  return first;
}

}  // namespace

Snippet make_snippet(std::string_view line, int column) {
  if (trim_end(line).empty()) return {};
  const size_t target = std::min(static_cast<size_t>(std::max(column, 1)) - 1, line.size());
  const LineWindow window = near_bytes(line, target);
  const std::vector<TerminalCell> cells = to_cells(window);
  const auto after = std::ranges::upper_bound(cells, target, {}, &TerminalCell::offset);
  const bool at_end = target == window.offset + window.text.size();
  const size_t caret = at_end ? cells.size() : static_cast<size_t>(after - cells.begin()) - 1;

  const size_t first = first_shown(cells, caret);
  const bool cut = first > 0 || window.offset > 0;
  Snippet snippet;
  if (cut)
    snippet = {.text = std::string(ellipsis()), .caret = static_cast<int>(text_width(ellipsis()))};
  int width = 0;
  size_t next = first;
  for (; next < cells.size() && width < kMaxWidth; ++next) {
    if (next < caret) snippet.caret += cells[next].width;
    width += cells[next].width;
    snippet.text += cells[next].text;
  }
  const bool more = window.offset + window.text.size() < line.size();
  if (next < cells.size() || more) snippet.text += ellipsis();
  return snippet;
}

}  // namespace patchbay::config
