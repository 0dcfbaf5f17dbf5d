#pragma once

#include <functional>

#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "model/check.h"

namespace patchbay::health {

/// Checks whether Check::host accepts a connection at Check::port, and closes the connection at
/// once. The name of the host is resolved on a work thread. Its addresses are tried in order, each
/// with a share of the timeout. For the other rules see CheckRunner::run(). Loop thread.
[[nodiscard]] loop::Subscription check_tcp(loop::EventLoop& loop, loop::WorkQueue& queue,
                                           const Check& check,
                                           std::move_only_function<void(CheckResult)> done);

}  // namespace patchbay::health
