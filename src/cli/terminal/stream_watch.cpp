#include "cli/terminal/stream_watch.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace patchbay::cli {

Result<loop::Subscription> watch_hang_up(loop::EventLoop& loop, int fd,
                                         std::function<void()> on_hang_up) {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{.events = 0, .data = {.fd = fd}};  // EPOLLERR and EPOLLHUP are always reported.
  if (!epoll || epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return fail_errno("cannot watch a standard stream", errno);
  }
  const int watched = epoll.get();
  // The callback owns the descriptor, which lives until the loop drops the callback.
  return loop.watch_readable(
      watched, [owned = std::move(epoll), on_hang_up = std::move(on_hang_up)](loop::FdEvent) {
        on_hang_up();
      });
}

std::vector<loop::Subscription> watch_client(loop::EventLoop& loop,
                                             const std::function<void()>& on_end) {
  std::vector<loop::Subscription> watches;
  pollfd input{.fd = STDIN_FILENO, .events = 0, .revents = 0};
  const bool input_is_open = poll(&input, 1, 0) == 0;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
    if (fd == STDIN_FILENO && !input_is_open) continue;
    // An Error means: it is a file, and has no other end.
    if (auto watch = watch_hang_up(loop, fd, on_end)) watches.push_back(*std::move(watch));
  }
  return watches;
}

}  // namespace patchbay::cli
