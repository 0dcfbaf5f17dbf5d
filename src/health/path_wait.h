#pragma once

#include <functional>
#include <string>

#include "host/host_root.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_threads.h"

namespace patchbay::health {

/// Waits until `path` exists, links followed, at most `limit`: `done` is called once, later, with
/// whether it does. Directories on the way are watched; /sys and /proc, which report no changes,
/// are looked at again and again. Loop thread. To end the Subscription is to hear nothing.
[[nodiscard]] loop::Subscription wait_for_path(loop::EventLoop& loop, loop::Inotify& inotify,
                                               loop::WorkThreads& threads, host::HostRoot root,
                                               std::string path, loop::Milliseconds limit,
                                               std::move_only_function<void(bool)> done);

}  // namespace patchbay::health
