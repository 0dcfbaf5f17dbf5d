#include "cli/line_input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace patchbay::cli {
namespace {

constexpr size_t kMaxLine = 64 * 1024;

/// Files and /dev/null cannot be watched (epoll refuses them): they are always readable.
bool can_be_watched(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || isatty(fd) == 1;
}

}  // namespace

LineInput::LineInput(loop::EventLoop& loop, std::function<void(const std::string&)> on_line)
    : on_line_(std::move(on_line)) {
  if (can_be_watched(STDIN_FILENO)) {
    watch_ = loop.watch_readable(STDIN_FILENO, [this](loop::FdEvent) { read_some(); });
  } else {
    watch_ = loop.every(loop::Milliseconds(1), [this] { read_some(); });
  }
}

void LineInput::read_some() {
  std::array<char, 4096> buffer{};
  const ssize_t size = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) {
    if (!pending_.empty()) pending_ += '\n';
    take_lines();
    watch_.reset();
    return;
  }
  pending_.append(buffer.data(), static_cast<size_t>(size));
  take_lines();
  if (pending_.size() > kMaxLine) pending_.clear();
}

void LineInput::take_lines() {
  for (size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
    const std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    on_line_(line);
  }
}

}  // namespace patchbay::cli
