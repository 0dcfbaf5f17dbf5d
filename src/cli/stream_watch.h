#pragma once

#include <functional>

#include "base/result.h"
#include "loop/event_loop.h"

/// Watching the standard streams. The loop makes what it watches non-blocking, and that would hold
/// for everyone who has the same open file: the shell, and what it starts after us. So the loop
/// watches an epoll instance of ours, and that the stream. Loop thread.
namespace patchbay::cli {

/// While there is something to read, or the end of it. An error: it cannot be watched, since it is
/// always readable (files, /dev/null).
[[nodiscard]] Result<loop::Subscription> watch_readable(loop::EventLoop& loop, int fd,
                                                        std::function<void()> on_readable);

/// When nobody has the other end any more. An error: there is no other end.
[[nodiscard]] Result<loop::Subscription> watch_hang_up(loop::EventLoop& loop, int fd,
                                                       std::function<void()> on_hang_up);

}  // namespace patchbay::cli
