#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace patchbay::cli {

/// Scrolls a text of several tables, separated by empty lines, on a terminal. The head of the table
/// at the top stays visible. One thread.
class ScrolledText {
 public:
  void set(const std::string& text);
  void resize(TerminalSize size);

  /// Scrolls for these keys, given as the bytes from the terminal. Returns false if the user quits.
  [[nodiscard]] bool press(std::string_view keys);

  /// The bytes that draw the visible part on the screen, without wrapped lines. If lines are
  /// hidden, the last row shows the range of visible lines and, with `keys`, the keys for
  /// scrolling.
  [[nodiscard]] std::string drawing(bool keys) const;

 private:
  [[nodiscard]] bool fits() const;
  [[nodiscard]] size_t body() const;  ///< The number of visible lines if some are hidden.
  void scroll_to(size_t line);
  [[nodiscard]] const std::string& line_at(size_t row) const;

  std::vector<std::string> lines_;
  std::vector<size_t> heads_;  ///< For each line, the head of its table.
  TerminalSize size_;
  size_t top_ = 0;
};

}  // namespace patchbay::cli
