#pragma once

#include <string>
#include <vector>

namespace patchbay::cli {

/// Whether a descriptor is a terminal, where colours and redrawing belong. $NO_COLOR says no
/// colours.
[[nodiscard]] bool is_terminal(int fd);
[[nodiscard]] bool wants_color(int fd);

/// Writes all of `text`; a reader that has gone (a closed pipe) is not an error of ours.
void print(const std::string& text);
void print_error(const std::string& text);

/// Rows of cells as aligned columns, two spaces between them, no space at a line's end. The first
/// row is the head. Widths count characters, not bytes; cells must be printable.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace patchbay::cli
