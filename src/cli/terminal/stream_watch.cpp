#include "cli/terminal/stream_watch.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace patchbay::cli {
namespace {

Result<loop::Subscription> watch(loop::EventLoop& loop, int fd, uint32_t events,
                                 std::function<void()> on_event) {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{.events = events, .data = {.fd = fd}};
  if (!epoll || epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return fail_errno("cannot watch a standard stream", errno);
  }
  const int watched = epoll.get();
  // The callback owns the descriptor, which lives until the loop drops the callback.
  return loop.watch_readable(watched, [owned = std::move(epoll), on_event = std::move(on_event)](
                                          loop::FdEvent) { on_event(); });
}

}  // namespace

Result<loop::Subscription> watch_readable(loop::EventLoop& loop, int fd,
                                          std::function<void()> on_readable) {
  return watch(loop, fd, EPOLLIN, std::move(on_readable));
}

Result<loop::Subscription> watch_hang_up(loop::EventLoop& loop, int fd,
                                         std::function<void()> on_hang_up) {
  return watch(loop, fd, 0, std::move(on_hang_up));  // EPOLLERR and EPOLLHUP are always reported.
}

}  // namespace patchbay::cli
