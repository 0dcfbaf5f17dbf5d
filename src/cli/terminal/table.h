#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace patchbay::cli {

/// The meaning of a cell or a word, shown by its colour on a terminal.
enum class Style { plain, head, good, bad, warning };

struct Cell {
  Cell(std::string cell_text, Style cell_style = Style::plain)
      : text(std::move(cell_text)), style(cell_style) {}
  Cell(const char* cell_text) : text(cell_text) {}

  std::string text;  ///< Printable.
  Style style = Style::plain;
};
using Row = std::vector<Cell>;

/// A text of a device or a file for people: printable and of limited length.
[[nodiscard]] inline std::string shown(std::string_view text) { return printable(text, 1000); }

/// The behaviour of a column if the terminal is too narrow.
struct Column {
  std::string title;
  bool droppable = false;  ///< The whole column is removed before others are cut.
  size_t min_width = 0;    ///< Minimum width when it is cut; 0: it is not cut.
  bool keeps_end = false;  ///< Cuts the beginning, for names and paths.
};

/// A table with aligned columns. If a row has fewer cells than columns, its last cell spans the
/// rest and makes no column wider.
struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;

  /// Removes a column. Rows that end before it are unchanged.
  void drop(std::string_view title);
};

struct TableLayout {
  size_t width = 0;  ///< The terminal's width; 0: unlimited.
  bool color = false;
};

/// Formats with two spaces between columns, and no trailing spaces.
[[nodiscard]] std::string format_table(Table table, const TableLayout& layout);

/// The same for plain texts; the first row is the head.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows);

/// The text in its colour; without `color` unchanged.
[[nodiscard]] std::string colored(std::string_view text, Style style, bool color);

/// Wraps lines at the width, between words, with an extra indentation of two. 0: unlimited width.
[[nodiscard]] std::string folded(std::string_view text, size_t width);

/// The text cut with ellipsis() to `width` columns.
[[nodiscard]] std::string shortened(std::string_view text, size_t width, bool keeps_end = false);

}  // namespace patchbay::cli
