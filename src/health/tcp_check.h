#pragma once

#include <functional>

#include "base/check.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"

namespace patchbay::health {

/// Finds out whether something accepts connections at Check::host and port; a connection is closed
/// at once. A name is resolved elsewhere than on the loop; its addresses are tried one after the
/// other, each with its share of the time. As CheckRunner::run(). Loop thread.
[[nodiscard]] loop::Subscription check_tcp(loop::EventLoop& loop, loop::WorkThreads& threads,
                                           const Check& check,
                                           std::move_only_function<void(CheckResult)> done);

}  // namespace patchbay::health
