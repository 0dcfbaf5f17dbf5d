#pragma once

#include <functional>
#include <string>

#include "loop/event_loop.h"
#include "paths/path_follower.h"

namespace patchbay::health {

/// Waits at most `limit` until `path` exists, with links followed. `done` is called once, later,
/// with the result. If changes are not reported, the path is polled. If the Subscription ends,
/// `done` is not called. Loop thread.
[[nodiscard]] loop::Subscription wait_for_path(loop::EventLoop& loop, paths::PathFollower& paths,
                                               std::string path, loop::Milliseconds limit,
                                               std::move_only_function<void(bool)> done);

}  // namespace patchbay::health
