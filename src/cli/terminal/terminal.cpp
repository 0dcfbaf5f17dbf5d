#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/charset.h"
#include "base/log.h"
#include "base/log_queue.h"
#include "base/whole_number.h"
#include "base/write_all.h"
#include "cli/terminal/exit_code.h"

namespace patchbay::cli {
namespace {

/// The size in the variable, or the terminal's size.
size_t size_in(const char* variable, size_t otherwise) {
  const char* text = std::getenv(variable);
  const auto size = text == nullptr ? std::nullopt : parse_whole<size_t>(text);
  return size && *size > 0 ? *size : otherwise;
}

constexpr size_t kQueuedOutput = size_t{16} << 20U;

/// Never destroyed: its thread can be blocked on the reader at the end of the process.
log::LogQueue*& output_queue() {
  static log::LogQueue* the_queue = nullptr;
  return the_queue;
}

std::string cannot_write(int error) {
  return "patchbay: " + fail_errno("cannot write the output", error).error().message + "\n";
}

void write_queued(const std::string& text) {
  static int last_error = 0;
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE && error != last_error) log::text(cannot_write(error));
  last_error = error;
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) == 1; }

bool wants_color(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return is_terminal(fd) && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

TerminalSize terminal_size(int fd) {
  if (!is_terminal(fd)) return {};
  winsize size{};
  ioctl(fd, TIOCGWINSZ, &size);
  return {.columns = size_in("COLUMNS", size.ws_col), .rows = size_in("LINES", size.ws_row)};
}

Printed print(const std::string& text) {
  log::wait_for_writer();
  if (auto* const queue = output_queue()) {
    queue->add(text);
    return Printed::all;
  }
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return Printed::all;
  if (error == EPIPE) return Printed::reader_gone;
  print_error(cannot_write(error));
  return Printed::failed;
}

void queue_output() {
  if (output_queue() != nullptr) return;
  output_queue() = new log::LogQueue(
      kQueuedOutput, {.write = write_queued, .dropped = [](size_t lines) {
                        return fmt::format("output: {} lines dropped (unread)\n", lines);
                      }});
}

void flush_output(std::chrono::milliseconds at_most) {
  if (auto* const queue = output_queue()) static_cast<void>(queue->flush(at_most));
  log::flush(at_most);
}

int exit_code_of(Printed printed) { return printed == Printed::failed ? kFailure : kOk; }

void print_error(const std::string& text) {
  if (auto* const queue = output_queue()) queue->catch_up();
  log::text(to_locale(text));
}

int report_failure(const Error& error) {
  print_error("patchbay: " + error.message + "\n");
  return kFailure;
}

}  // namespace patchbay::cli
