#pragma once

#include <string>
#include <string_view>

namespace patchbay::config {

/// A source line made fit for a terminal, and how many columns stand before the caret.
struct Snippet {
  std::string text;
  int caret = 0;
};

/// `line` around the byte at `column` (1-based; beyond the end is just after it), at most some 90
/// columns wide, cut with ellipsis(). A tab is one blank; what a terminal would obey is shown
/// escaped. An empty text if the line is blank.
[[nodiscard]] Snippet make_snippet(std::string_view line, int column);

}  // namespace patchbay::config
