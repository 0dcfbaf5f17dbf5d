#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "loop/event_loop.h"

/// Watches the standard streams. The loop makes watched descriptors non-blocking, which would
/// affect all processes that share the open file, such as the shell. So the loop watches a private
/// epoll instance, which watches the stream. Loop thread.
namespace patchbay::cli {

/// Calls back when the other end is closed. Returns an Error if there is no other end.
[[nodiscard]] Result<loop::Subscription> watch_hang_up(loop::EventLoop& loop, int fd,
                                                       std::function<void()> on_hang_up);

/// For --watch: calls back when the other end of standard input or output is closed, as when the
/// client of `kubectl exec` has ended. An input that is closed already was a configuration, and
/// does not count.
[[nodiscard]] std::vector<loop::Subscription> watch_client(loop::EventLoop& loop,
                                                           const std::function<void()>& on_end);

}  // namespace patchbay::cli
