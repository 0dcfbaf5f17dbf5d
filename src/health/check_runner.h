#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "model/check.h"
#include "paths/host_root.h"

namespace patchbay::health {

struct RunOptions {
  /// The root of the host's files. Programs do not use it: they run in our own root. If the root is
  /// a recorded machine, checks that open a device, run a program or connect always succeed.
  paths::HostRoot root{};
  /// The whole environment of programs; see loop::child_environment().
  std::vector<std::string> environment{};
};

/// Runs a Check once and reports its result. A check is one operation of a probe, such as opening a
/// device. The caller repeats the check and judges the result. Loop thread; blocking work runs on
/// other threads.
class CheckRunner {
 public:
  using Done = std::move_only_function<void(CheckResult)>;

  /// `loop` and `queue` outlive the runner.
  [[nodiscard]] static std::unique_ptr<CheckRunner> create(loop::EventLoop& loop,
                                                           loop::WorkQueue& queue,
                                                           RunOptions options);
  virtual ~CheckRunner() = default;

  /// Starts the check. `done` is called once, never within this call, at the latest after
  /// Check::timeout. A check that is still running then has failed. The same check fails at once
  /// while the earlier run still hangs.
  ///
  /// `on_blocked` is called before `done` if the check blocks its work thread for long. Then other
  /// checks need not wait for it. If the Subscription ends, no callback follows, and a program of
  /// the check is killed.
  [[nodiscard]] virtual loop::Subscription run(const Check& check, Done done,
                                               loop::Task on_blocked) = 0;
};

}  // namespace patchbay::health
