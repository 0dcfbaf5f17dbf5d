#pragma once

#include <functional>
#include <string>

#include "host/path_follower.h"
#include "loop/event_loop.h"

namespace patchbay::health {

/// Waits until `path` exists, links followed, at most `limit`: `done` is called once, later, with
/// whether it does. Where changes are not reported it is looked at again and again. Loop thread. To
/// end the Subscription is to hear nothing.
[[nodiscard]] loop::Subscription wait_for_path(loop::EventLoop& loop, host::PathFollower& paths,
                                               std::string path, loop::Milliseconds limit,
                                               std::move_only_function<void(bool)> done);

}  // namespace patchbay::health
