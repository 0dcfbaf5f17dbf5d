#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace patchbay::cli {

/// The style of a cell or a word, which determines its colour on a terminal.
enum class Style { plain, head, good, bad, warning };

struct Cell {
  Cell(std::string cell_text, Style cell_style = Style::plain)
      : text(std::move(cell_text)), style(cell_style) {}
  Cell(const char* cell_text) : text(cell_text) {}

  std::string text;  ///< Must be safe to print: see printable().
  Style style = Style::plain;
};
using Row = std::vector<Cell>;

/// Returns a text from a device or a file in a form that is safe to print, and not too long.
[[nodiscard]] inline std::string shown(std::string_view text) { return printable(text, 1000); }

/// The title of a column, and how it becomes narrower if the table does not fit into the terminal.
struct Column {
  std::string title;
  bool droppable = false;  ///< The column may be removed, before any column is cut.
  size_t min_width = 0;    ///< The minimum width if the column is cut; 0: it is not cut.
  bool keeps_end = false;  ///< Long texts lose their beginning, not their end.
};

/// A table with aligned columns. If a row has fewer cells than columns, its last cell spans the
/// other columns, and makes none of them wider.
struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;

  /// Removes a column. Rows with fewer cells than columns are unchanged.
  void drop(std::string_view title);
};

struct TableLayout {
  size_t width = 0;  ///< The terminal's width; 0: unlimited.
  bool color = false;
};

/// Formats a table, with two spaces between columns and no trailing spaces.
[[nodiscard]] std::string format_table(Table table, const TableLayout& layout);

/// Formats rows of plain texts, without titles and without a limit of the width.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows);

/// Returns the text in the colour of the style; without `color` unchanged.
[[nodiscard]] std::string colored(std::string_view text, Style style, bool color);

/// Wraps lines between words at `width`, and indents the rest by two spaces. A `width` of 0 is
/// unlimited.
[[nodiscard]] std::string folded(std::string_view text, size_t width);

/// Returns the text, cut to `width` columns with ellipsis(). `keeps_end`: cuts the beginning.
[[nodiscard]] std::string shortened(std::string_view text, size_t width, bool keeps_end = false);

}  // namespace patchbay::cli
