#include "cli/standalone/line_input.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "cli/terminal/stream_watch.h"

namespace patchbay::cli {
namespace {

constexpr size_t kMaxLine = 65'536;

}  // namespace

LineInput::LineInput(loop::EventLoop& loop, Listener listener) : listener_(std::move(listener)) {
  auto watch = watch_readable(loop, STDIN_FILENO, [this] { read_some(); });
  // An input that cannot be watched is always readable. It is read in parts, one per loop
  // iteration, so that it does not block others.
  watch_ = watch ? *std::move(watch) : loop.every(loop::Milliseconds(1), [this] { read_some(); });
}

void LineInput::read_some() {
  std::array<char, 4096> buffer{};
  const ssize_t size = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) {
    if (!pending_.empty()) pending_ += '\n';  // Ends the last line.
    take_lines();
    watch_.reset();
    if (size == 0) listener_.end();
    return;
  }
  pending_.append(buffer.data(), static_cast<size_t>(size));
  take_lines();
  if (pending_.size() > kMaxLine) {
    skipping_ = true;
    pending_.clear();
  }
}

void LineInput::take_lines() {
  for (size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
    const std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    if (!std::exchange(skipping_, false)) listener_.line(line);
  }
}

}  // namespace patchbay::cli
