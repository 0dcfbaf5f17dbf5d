#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace patchbay::cli {

/// What a cell or a word says; on a terminal, by its colour.
enum class Style { plain, head, good, bad, warning };

struct Cell {
  Cell(std::string cell_text, Style cell_style = Style::plain)
      : text(std::move(cell_text)), style(cell_style) {}
  Cell(const char* cell_text) : text(cell_text) {}

  std::string text;  ///< Printable.
  Style style = Style::plain;
};
using Row = std::vector<Cell>;

/// A text of a device or of a file for people: printable, and not without end.
[[nodiscard]] inline std::string shown(std::string_view text) { return printable(text, 1000); }

/// What happens to a column where the terminal is too narrow.
struct Column {
  std::string title;
  bool droppable = false;  ///< The whole column goes, before any other is cut.
  size_t min_width = 0;    ///< It is cut, but not below this; 0: never.
  bool keeps_end = false;  ///< What is cut is its beginning: of names and paths.
};

/// Aligned columns. A row with fewer cells than there are columns ends with a cell that spans the
/// rest: a remark, which makes no column wider.
struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;

  /// Takes a column out; every row has a cell in it, or ends before it.
  void drop(std::string_view title);
};

struct TableLayout {
  size_t width = 0;  ///< Of the terminal; 0: any.
  bool color = false;
};

/// With two spaces between columns, and none at a line's end.
[[nodiscard]] std::string format_table(Table table, const TableLayout& layout);

/// The same of texts alone; the first row is the head.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows);

/// The text in its colour; with `color` false as it is.
[[nodiscard]] std::string colored(std::string_view text, Style style, bool color);

/// Lines that are too long for the width go on in the next, between words, indented by two more. 0:
/// any width.
[[nodiscard]] std::string folded(std::string_view text, size_t width);

/// Cut with ellipsis() to at most `width` columns.
[[nodiscard]] std::string shortened(std::string_view text, size_t width, bool keeps_end = false);

}  // namespace patchbay::cli
