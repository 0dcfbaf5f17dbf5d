#include "config/diagnostics.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/charset.h"
#include "base/text.h"

namespace patchbay::config {
namespace {

constexpr size_t kMaxMessage = 2000;

std::string_view name_of(const Position& at) {
  return at.source == nullptr ? std::string_view{} : std::string_view(at.source->name);
}

auto sort_key(const Diagnostic& diagnostic) {
  const Position& at = diagnostic.at;
  return std::tuple(name_of(at), at.line, at.column);
}

/// Finds lines of sources. Cheap when asked in order.
class LineFinder {
 public:
  /// Without its line end; empty if there is no such line.
  std::string_view line(const Position& at) {
    if (at.source.get() != source_ || at.line < line_) {
      source_ = at.source.get();
      rest_ = source_->text;
      line_ = 1;
    }
    for (; line_ < at.line && !rest_.empty(); ++line_) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
    }
    if (line_ != at.line) return {};
    std::string_view found = rest_.substr(0, rest_.find('\n'));
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found;
  }

 private:
  const Source* source_ = nullptr;
  std::string_view rest_;
  int line_ = 1;
};

/// A source line for a terminal, and the number of columns before the caret.
struct Snippet {
  std::string text;
  int caret = 0;
};

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
  const int width = static_cast<int>(text_width(shown));
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

/// The part of `line` around the byte at `column`, cut with ellipsis() to about 90 columns.
/// `column` is 1-based; a larger one means the end of the line. A tab becomes one space, and
/// control characters are escaped. Empty if the line is blank.
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

/// ANSI escapes, or nothing.
struct Palette {
  std::array<std::string_view, 3> severity{};
  std::string_view bold, caret, hint, reset;
};

constexpr Palette kPlain{};
constexpr Palette kColors{
    {"\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m"}, "\x1b[1m", "\x1b[1;32m", "\x1b[36m", "\x1b[0m"};

std::string location(const Position& at) {
  if (at.source == nullptr) return {};
  std::string text = printable(at.source->name, kMaxMessage);
  if (at.line > 0) text += fmt::format(":{}", at.line);
  if (at.line > 0 && at.column > 0) text += fmt::format(":{}", at.column);
  return text + ": ";
}

void render_one(const Diagnostic& diagnostic, const Palette& colors, LineFinder& finder,
                std::string& out) {
  const Position& at = diagnostic.at;
  out += fmt::format("{}{}{}{}{}{}: {}\n", colors.bold, location(at), colors.reset,
                     colors.severity[static_cast<size_t>(diagnostic.severity)],
                     word_of(diagnostic.severity), colors.reset,
                     printable(diagnostic.message, kMaxMessage));
  if (at.source != nullptr && at.line > 0) {
    const Snippet snippet = make_snippet(finder.line(at), at.column);
    if (!snippet.text.empty()) out += fmt::format("    {}\n", snippet.text);
    if (!snippet.text.empty() && at.column > 0) {
      out += fmt::format("    {:{}}{}^{}\n", "", snippet.caret, colors.caret, colors.reset);
    }
  }
  if (!diagnostic.hint.empty()) {
    out += fmt::format("  {}hint:{} {}\n", colors.hint, colors.reset,
                       printable(diagnostic.hint, kMaxMessage));
  }
}

}  // namespace

void Diagnostics::report(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++reported_errors_;
  const Position& at = diagnostic.at;
  if (!seen_.emplace(diagnostic.severity, at.source.get(), at.line, at.column, diagnostic.message)
           .second) {
    return;
  }
  if (diagnostic.severity == Severity::error) ++error_count_;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::error(const Position& at, std::string message, std::string hint) {
  report({Severity::error, at, std::move(message), std::move(hint)});
}

void Diagnostics::warning(const Position& at, std::string message, std::string hint) {
  report({Severity::warning, at, std::move(message), std::move(hint)});
}

void Diagnostics::note(const Position& at, std::string message, std::string hint) {
  report({Severity::note, at, std::move(message), std::move(hint)});
}

std::string render(const Diagnostics& diagnostics, bool color) {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : diagnostics.all()) sorted.push_back(&diagnostic);
  std::ranges::stable_sort(sorted, [](auto* a, auto* b) { return sort_key(*a) < sort_key(*b); });
  std::string out;
  LineFinder finder;
  for (const Diagnostic* diagnostic : sorted) {
    render_one(*diagnostic, color ? kColors : kPlain, finder, out);
  }
  return out;
}

}  // namespace patchbay::config
