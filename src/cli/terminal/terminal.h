#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.h"

namespace patchbay::cli {

/// Whether a descriptor is a terminal, which supports colours and redrawing. $NO_COLOR and a dumb
/// terminal disable colours.
[[nodiscard]] bool is_terminal(int fd);
[[nodiscard]] bool wants_color(int fd);

/// The size of the terminal. $COLUMNS and $LINES have priority. 0: unknown, or not a terminal.
struct TerminalSize {
  size_t columns = 0;
  size_t rows = 0;
};
[[nodiscard]] TerminalSize terminal_size(int fd);

/// The result of a write to standard output.
enum class Printed {
  all,
  reader_gone,  ///< The other end of the pipe is closed. Not an error.
  failed,       ///< A write error, which is printed on standard error.
};
Printed print(const std::string& text);
/// Clears a terminal, so that the next text replaces the last one.
inline constexpr const char* kClearScreen = "\x1b[H\x1b[2J";
/// From now on, a thread writes the output of print(), so that print() does not block on a slow
/// reader. Lines above a limit are dropped and counted. Call once.
void queue_output();
/// The exit code of a command after its output.
[[nodiscard]] int exit_code_of(Printed printed);

void print_error(const std::string& text);

/// Waits until the queues of print() and of the log are written, at most this long for each.
void flush_output(std::chrono::milliseconds at_most);

/// Prints "patchbay: ERROR" and returns the exit code for it.
[[nodiscard]] int report_failure(const Error& error);

}  // namespace patchbay::cli
