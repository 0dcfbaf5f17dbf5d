#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "loop/event_loop.h"

/// Detects that the other end of a standard stream is closed. Loop thread.
///
/// The loop makes watched descriptors non-blocking. That would affect all processes which share the
/// open file, such as the shell. So the loop watches an epoll instance, which watches the stream.
namespace patchbay::cli {

/// Calls `on_hang_up` when the other end of a pipe, socket or terminal is closed. Returns an Error
/// for a file, which has no other end.
[[nodiscard]] Result<loop::Subscription> watch_hang_up(loop::EventLoop& loop, int fd,
                                                       std::function<void()> on_hang_up);

/// Calls `on_end` when the other end of standard input or output is closed, for example when the
/// client of `kubectl exec` has ended. For --watch. An input that is closed before the call is not
/// watched, because the configuration was read from it.
[[nodiscard]] std::vector<loop::Subscription> watch_client(loop::EventLoop& loop,
                                                           const std::function<void()>& on_end);

}  // namespace patchbay::cli
