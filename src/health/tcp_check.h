#pragma once

#include <functional>

#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "model/check.h"

namespace patchbay::health {

/// Checks whether Check::host accepts connections at the port, and closes the connection at once.
/// Names are resolved on another thread. The addresses are tried in order, each with a share of the
/// timeout. Same contract as CheckRunner::run(). Loop thread.
[[nodiscard]] loop::Subscription check_tcp(loop::EventLoop& loop, loop::WorkQueue& queue,
                                           const Check& check,
                                           std::move_only_function<void(CheckResult)> done);

}  // namespace patchbay::health
