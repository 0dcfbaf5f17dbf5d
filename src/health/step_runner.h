#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "health/check_runner.h"
#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "loop/work_threads.h"

namespace patchbay::health {

/// Does what is to be done before a container starts. Loop thread; what may block runs elsewhere.
class StepRunner {
 public:
  using Done = std::move_only_function<void(Result<void>)>;

  /// All outlive the runner.
  [[nodiscard]] static std::unique_ptr<StepRunner> create(loop::EventLoop& loop,
                                                          loop::Inotify& inotify,
                                                          loop::WorkThreads& threads,
                                                          RunOptions options);
  virtual ~StepRunner() = default;

  /// One after the other, until one fails; `done` is called once, later, at the latest when
  /// `budget` is over, with a reason that names the step. To end the Subscription is to hear
  /// nothing: a program is then killed, and no further step is begun.
  [[nodiscard]] virtual loop::Subscription run(std::vector<Step> steps, loop::Milliseconds budget,
                                               Done done) = 0;
};

}  // namespace patchbay::health
