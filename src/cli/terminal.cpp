#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/charset.h"
#include "base/log.h"
#include "base/whole_number.h"
#include "base/write_all.h"
#include "cli/exit_code.h"

namespace patchbay::cli {
namespace {

/// What the variable says, as for other programs; else what the terminal says.
size_t size_in(const char* variable, size_t otherwise) {
  const char* text = std::getenv(variable);
  const auto size = text == nullptr ? std::nullopt : parse_whole<size_t>(text);
  return size && *size > 0 ? *size : otherwise;
}

std::function<void(const std::string&)>& diversion() {
  static std::function<void(const std::string&)> the_diversion;
  return the_diversion;
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) == 1; }

bool has_terminal() { return is_terminal(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp(); }

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
  if (const auto& divert = diversion(); divert && is_terminal(STDOUT_FILENO)) {
    divert(text);
    return Printed::all;
  }
  log::catch_up();
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return Printed::all;
  if (error == EPIPE) return Printed::reader_gone;
  print_error("patchbay: " + fail_errno("cannot write the output", error).error().message + "\n");
  return Printed::failed;
}

int exit_code_of(Printed printed) { return printed == Printed::failed ? kUnable : kOk; }

void print_error(const std::string& written) {
  const std::string text = for_locale(written);
  if (const auto& divert = diversion(); divert && is_terminal(STDERR_FILENO)) return divert(text);
  log::text(text);
}

void divert_output(std::function<void(const std::string&)> to) {
  log::divert(is_terminal(STDERR_FILENO) ? to : nullptr);
  diversion() = std::move(to);
}

int unable(const Error& error) {
  print_error("patchbay: " + error.message + "\n");
  return kUnable;
}

}  // namespace patchbay::cli
