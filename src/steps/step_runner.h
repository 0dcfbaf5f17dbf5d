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

/// Runs the steps before a container starts. Loop thread; blocking work runs on other threads.
class StepRunner {
 public:
  using Done = std::move_only_function<void(Result<void>)>;
  struct Options {
    paths::HostRoot root{};  ///< Not for programs, which run in our root.
    /// The whole environment of programs; see loop::child_environment().
    std::vector<std::string> environment{};
  };

  /// All outlive the runner.
  [[nodiscard]] static std::unique_ptr<StepRunner> create(loop::EventLoop& loop,
                                                          loop::Inotify& inotify,
                                                          loop::WorkQueue& queue, Options options);
  virtual ~StepRunner() = default;

  /// Runs the steps in order until one fails. `done` is called once, later, at the latest after
  /// `budget`, with an error that names the step. If the Subscription ends, nothing is called, a
  /// running program is killed, and no further step starts.
  [[nodiscard]] virtual loop::Subscription run(std::vector<Step> steps, loop::Milliseconds budget,
                                               Done done) = 0;
};

}  // namespace patchbay::steps
