#include "cli/terminal.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/exit_code.h"

namespace patchbay::cli {
namespace {

size_t characters(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Others who share the open file may have made it non-blocking.
void wait_until_writable(int fd) {
  pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
  poll(&waiting, 1, -1);
}

/// 0 or the errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(fd, text.data(), text.size());
    if (size >= 0) {
      text.remove_prefix(static_cast<size_t>(size));
    } else if (errno == EAGAIN) {
      wait_until_writable(fd);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) == 1; }

bool wants_color(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return is_terminal(fd) && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

Printed print(const std::string& text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return Printed::all;
  if (error == EPIPE) return Printed::reader_gone;
  print_error("patchbay: " + fail_errno("cannot write the output", error).error().message + "\n");
  return Printed::failed;
}

int exit_code_of(Printed printed) { return printed == Printed::failed ? kUnable : kOk; }

void print_error(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int unable(const Error& error) {
  print_error("patchbay: " + error.message + "\n");
  return kUnable;
}

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - characters(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace patchbay::cli
