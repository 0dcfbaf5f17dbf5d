#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"

namespace patchbay::cli {

/// Whether a descriptor is a terminal, where colours and redrawing belong. $NO_COLOR and a dumb
/// terminal say no colours.
[[nodiscard]] bool is_terminal(int fd);
[[nodiscard]] bool wants_color(int fd);

/// Whether standard input is a terminal that this job has: a job in the background would be stopped
/// for what it does to it.
[[nodiscard]] bool has_terminal();

/// How much a terminal shows; $COLUMNS and $LINES are believed before it. 0: nobody knows, or it is
/// no terminal.
struct TerminalSize {
  size_t columns = 0;
  size_t rows = 0;
};
[[nodiscard]] TerminalSize terminal_size(int fd);

/// How writing to standard output went.
enum class Printed {
  all,
  reader_gone,  ///< The pipe's other end is closed: it has read enough. No error of ours.
  failed,       ///< It could not be written; that has been said on standard error.
};
Printed print(const std::string& text);
/// From now on a thread writes what print() is given, so that print() does not wait for the reader.
/// If the reader does not read, lines beyond a limit are dropped and counted. Once.
void queue_output();
/// The exit code of a command that ends with its output.
[[nodiscard]] int exit_code_of(Printed printed);

void print_error(const std::string& text);

/// Waits for the queue of print() and for that of the log to be written, at most this long for
/// each.
void flush_output(std::chrono::milliseconds at_most);

/// While somebody edits a line on the terminal, what print() and print_error() would write there is
/// handed over instead; the log, too. One thread prints. Without a function it is as before.
void divert_output(std::function<void(const std::string& text)> to);

/// "patchbay: what went wrong", and the exit code that says so.
[[nodiscard]] int report_failure(const Error& error);

}  // namespace patchbay::cli
