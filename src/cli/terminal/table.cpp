#include "cli/terminal/table.h"

#include <algorithm>
#include <numeric>

#include "base/charset.h"
#include "base/text.h"

namespace patchbay::cli {
namespace {

constexpr size_t kGap = 2;

using Widths = std::vector<size_t>;

bool spans(const Row& row, size_t cell, const Table& table) {
  return cell + 1 == row.size() && row.size() < table.columns.size();
}

Widths widths_of(const Table& table) {
  Widths widths;
  for (const Column& column : table.columns) widths.push_back(text_width(column.title));
  for (const Row& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (!spans(row, i, table)) widths[i] = std::max(widths[i], text_width(row[i].text));
    }
  }
  return widths;
}

size_t sum(const Widths& widths) {
  return std::accumulate(widths.begin(), widths.end(),
                         kGap * (std::max<size_t>(widths.size(), 1) - 1));
}

/// Takes columns from the widest until the rest fits or none can be cut further.
void cut(const Table& table, Widths& widths, size_t width) {
  for (size_t excess = sum(widths); excess > width; --excess) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      const size_t least = table.columns[i].min_width;
      if (least == 0 || widths[i] <= least) continue;
      if (widest == widths.size() || widths[i] >= widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

Widths fit(Table& table, size_t width) {
  Widths widths = widths_of(table);
  if (width == 0) return widths;
  for (size_t i = table.columns.size(); i-- > 0 && sum(widths) > width;) {
    if (!table.columns[i].droppable) continue;
    table.drop(table.columns[i].title);
    widths = widths_of(table);
  }
  cut(table, widths, width);
  return widths;
}

/// Converts the cells to the locale, so that the printed width is the computed width.
void show_in_locale(Table& table) {
  for (Row& row : table.rows) {
    for (Cell& cell : row) cell.text = to_locale(std::move(cell.text));
  }
}

/// One line, cut to the width of the terminal.
std::string line_of(const Table& table, const Row& row, const Widths& widths,
                    const TableLayout& layout) {
  std::string line;
  size_t gap = 0;
  size_t used = 0;
  for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
    size_t most = spans(row, i, table) ? text_width(row[i].text) : widths[i];
    if (layout.width > 0) most = std::min(most, layout.width - std::min(layout.width, used + gap));
    const bool keeps_end = table.columns[i].keeps_end && row[i].style != Style::head;
    const std::string text = shortened(row[i].text, most, keeps_end);
    if (!text.empty()) {
      line += std::string(gap, ' ') + colored(text, row[i].style, layout.color);
      used += gap + text_width(text);
      gap = 0;
    }
    gap += kGap + widths[i] - std::min(widths[i], text_width(text));
  }
  return line + '\n';
}

}  // namespace

void Table::drop(std::string_view title) {
  const auto column = std::ranges::find(columns, title, &Column::title);
  const auto at = column - columns.begin();
  for (Row& row : rows) {
    if (row.size() == columns.size()) row.erase(row.begin() + at);
  }
  columns.erase(column);
}

std::string format_table(Table table, const TableLayout& layout) {
  show_in_locale(table);
  const Widths widths = fit(table, layout.width);
  Row head;
  for (const Column& column : table.columns) head.emplace_back(column.title, Style::head);
  std::string text = head.empty() ? "" : line_of(table, head, widths, layout);
  for (const Row& row : table.rows) text += line_of(table, row, widths, layout);
  return text;
}

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  Table table;
  size_t most = 0;
  for (const auto& row : rows) most = std::max(most, row.size());
  if (most == 0) return std::string(rows.size(), '\n');
  table.columns.resize(most);
  for (const auto& row : rows) {
    Row& cells = table.rows.emplace_back(row.begin(), row.end());
    cells.resize(most, "");
  }
  show_in_locale(table);
  const Widths widths = widths_of(table);
  std::string text;
  for (const Row& row : table.rows) text += line_of(table, row, widths, {});
  return text;
}

std::string colored(std::string_view text, Style style, bool color) {
  std::string_view begin;
  switch (style) {
    case Style::plain:
      break;
    case Style::head:
      begin = "\x1b[1m";
      break;
    case Style::good:
      begin = "\x1b[32m";
      break;
    case Style::bad:
      begin = "\x1b[1;31m";
      break;
    case Style::warning:
      begin = "\x1b[1;35m";
      break;
  }
  if (!color || begin.empty() || text.empty()) return std::string(text);
  return std::string(begin) + std::string(text) + "\x1b[0m";
}

std::string folded(std::string_view text, size_t width) {
  const std::string shown = to_locale(std::string(text));
  std::string out;
  for (const std::string_view whole : split(shown, '\n')) {
    if (width == 0 || text_width(whole) <= width) {
      out += std::string(whole) + '\n';
      continue;
    }
    const std::string indent(std::min(whole.find_first_not_of(' '), whole.size()), ' ');
    std::string line = indent;
    bool empty = true;
    for (const std::string_view word : split(whole.substr(indent.size()), ' ')) {
      if (!empty && text_width(line) + 1 + text_width(word) > width) {
        out += line + '\n';
        line = indent + "  ";
        empty = true;
      }
      line += (empty ? "" : " ") + std::string(word);
      empty = false;
    }
    out += line + '\n';
  }
  out.pop_back();  // The text ends with a line end.
  return out;
}

std::string shortened(std::string_view text, size_t width, bool keeps_end) {
  if (text_width(text) <= width) return std::string(text);
  const std::string cut(first_columns(ellipsis(), width));
  const size_t rest = width - text_width(cut);
  if (keeps_end) return cut + std::string(last_columns(text, rest));
  return std::string(first_columns(text, rest)) + cut;
}

}  // namespace patchbay::cli
