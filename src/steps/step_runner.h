#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "model/check.h"
#include "paths/host_root.h"

namespace patchbay::steps {

/// Runs the `preStart` steps before a container starts. Loop thread; blocking work runs on work
/// threads.
class StepRunner {
 public:
  using Done = std::move_only_function<void(Result<void>)>;
  struct Options {
    paths::HostRoot root{};  ///< The root of paths in steps. Programs run in the daemon's own root.
    /// The whole environment of programs: see loop::child_environment().
    std::vector<std::string> environment{};
  };

  /// `loop`, `inotify` and `queue` outlive the runner.
  [[nodiscard]] static std::unique_ptr<StepRunner> create(loop::EventLoop& loop,
                                                          loop::Inotify& inotify,
                                                          loop::WorkQueue& queue, Options options);
  virtual ~StepRunner() = default;

  /// Runs the steps in order until one fails. Calls `done` once, later, at the latest after
  /// `budget`. An error names the step. Destroying the Subscription kills a running program. Then
  /// no further step starts, and `done` is not called.
  [[nodiscard]] virtual loop::Subscription run(std::vector<Step> steps, loop::Milliseconds budget,
                                               Done done) = 0;
};

}  // namespace patchbay::steps
