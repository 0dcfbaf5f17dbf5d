#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace patchbay::cli {

/// Whether a descriptor is a terminal, where colours and redrawing belong. $NO_COLOR and a dumb
/// terminal say no colours.
[[nodiscard]] bool is_terminal(int fd);
[[nodiscard]] bool wants_color(int fd);

/// How writing to standard output went.
enum class Printed {
  all,
  reader_gone,  ///< The pipe's other end is closed: it has read enough. No error of ours.
  failed,       ///< It could not be written; that has been said on standard error.
};
Printed print(const std::string& text);
/// The exit code of a command that ends with its output.
[[nodiscard]] int exit_code_of(Printed printed);

void print_error(const std::string& text);
/// "patchbay: what went wrong", and the exit code that says so.
[[nodiscard]] int unable(const Error& error);

/// Rows of cells as aligned columns, two spaces between them, no space at a line's end. The first
/// row is the head. Widths count characters, not bytes; cells must be printable.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace patchbay::cli
