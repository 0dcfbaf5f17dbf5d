#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "health/check_runner.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_queue.h"
#include "model/check.h"

namespace patchbay::health {

/// Runs the steps before a container starts. Loop thread; blocking work runs on other threads.
class StepRunner {
 public:
  using Done = std::move_only_function<void(Result<void>)>;

  /// All outlive the runner.
  [[nodiscard]] static std::unique_ptr<StepRunner> create(loop::EventLoop& loop,
                                                          loop::Inotify& inotify,
                                                          loop::WorkQueue& queue,
                                                          RunOptions options);
  virtual ~StepRunner() = default;

  /// Runs the steps in order until one fails. `done` is called once, later, at the latest after
  /// `budget`, with an error that names the step. If the Subscription ends, nothing is called, a
  /// running program is killed, and no further step starts.
  [[nodiscard]] virtual loop::Subscription run(std::vector<Step> steps, loop::Milliseconds budget,
                                               Done done) = 0;
};

}  // namespace patchbay::health
