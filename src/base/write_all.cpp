#include "base/write_all.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace patchbay {
namespace {

/// Pause, in milliseconds, before a retry if a stream is reported writable but is not.
constexpr int kPause = 10;

void wait_until_writable(int fd, bool again) {
  pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
  poll(&waiting, 1, -1);
  if (again) poll(nullptr, 0, kPause);
}

}  // namespace

int write_all(int fd, std::string_view text) {
  bool waited = false;  // The last poll() did not help.
  while (!text.empty()) {
    const ssize_t size = write(fd, text.data(), text.size());
    if (size >= 0) {
      text.remove_prefix(static_cast<size_t>(size));
      waited = false;
    } else if (errno == EAGAIN) {
      wait_until_writable(fd, waited);
      waited = true;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace patchbay
