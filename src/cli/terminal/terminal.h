#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.h"

namespace patchbay::cli {

/// Whether the descriptor is a terminal.
[[nodiscard]] bool is_terminal(int fd);
/// Whether to print colours: on a terminal, unless $NO_COLOR is set or $TERM is "dumb".
[[nodiscard]] bool wants_color(int fd);

/// The size of a terminal. $COLUMNS and $LINES have priority. 0 if unknown, or if not a terminal.
struct TerminalSize {
  size_t columns = 0;
  size_t rows = 0;
};
[[nodiscard]] TerminalSize terminal_size(int fd);

/// The result of a write to standard output.
enum class Printed {
  all,
  reader_gone,  ///< The other end of the pipe is closed. Not an error.
  failed,       ///< A write error, which is already printed on standard error.
};
/// Writes the text to standard output. Blocks, unless queue_output() was called.
Printed print(const std::string& text);
/// The text that clears a terminal.
inline constexpr const char* kClearScreen = "\x1b[H\x1b[2J";
/// Starts a thread that writes the output of print(), so that a slow reader does not block print().
/// Lines above a limit are dropped and counted.
void queue_output();
/// Returns the exit code of a command that ends after this print().
[[nodiscard]] int exit_code_of(Printed printed);

/// Writes the text to standard error, in order with the lines of the log.
void print_error(const std::string& text);

/// Waits until the texts of print() and of the log are written, at most this long for each.
void flush_output(std::chrono::milliseconds at_most);

/// Prints "patchbay: ERROR" and returns the exit code for it.
[[nodiscard]] int report_failure(const Error& error);

}  // namespace patchbay::cli
