#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace patchbay::cli {

/// A text of several tables, an empty line between them, as much of it as a terminal shows. While
/// it is scrolled, the head of the table at the top stays. One thread.
class ScrolledText {
 public:
  void set(const std::string& text);
  void resize(TerminalSize size);

  /// Scrolls as the keys say, in the bytes that a terminal sends for them. False: they asked to
  /// end.
  [[nodiscard]] bool press(std::string_view keys);

  /// What to write so that the screen shows it; nothing wraps. With more lines than there are rows
  /// the last row says which they are, and, with `keys`, how to see the others.
  [[nodiscard]] std::string drawing(bool keys) const;

 private:
  [[nodiscard]] bool fits() const;
  [[nodiscard]] size_t body() const;  ///< How many lines are shown where not all are.
  void scroll_to(size_t line);
  [[nodiscard]] const std::string& line_at(size_t row) const;

  std::vector<std::string> lines_;
  std::vector<size_t> heads_;  ///< Of each line, the head of its table.
  TerminalSize size_;
  size_t top_ = 0;
};

}  // namespace patchbay::cli
