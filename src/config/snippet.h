#pragma once

#include <string>
#include <string_view>

namespace patchbay::config {

/// A source line for a terminal, and the number of columns before the caret.
struct Snippet {
  std::string text;
  int caret = 0;
};

/// The part of `line` around the byte at `column`, cut with ellipsis() to about 90 columns.
/// `column` is 1-based; a larger one means the end of the line. A tab becomes one space, and
/// control characters are escaped. Empty if the line is blank.
[[nodiscard]] Snippet make_snippet(std::string_view line, int column);

}  // namespace patchbay::config
