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
  /// Not for programs, which run in our root. If it is recorded, checks that use a device succeed
  /// without it.
  paths::HostRoot root{};
  /// The whole environment of programs; see loop::child_environment().
  std::vector<std::string> environment{};
};

/// Runs a Check once and reports its result. The caller decides when to repeat it and how to react.
/// Loop thread; blocking work runs on other threads.
class CheckRunner {
 public:
  using Done = std::move_only_function<void(CheckResult)>;

  /// Both outlive the runner.
  [[nodiscard]] static std::unique_ptr<CheckRunner> create(loop::EventLoop& loop,
                                                           loop::WorkQueue& queue,
                                                           RunOptions options);
  virtual ~CheckRunner() = default;

  /// `done` is called once, later, at the latest after Check::timeout. A check that hangs by then
  /// has failed, and the same check does not start again while it hangs. If the Subscription ends,
  /// nothing is called, and a program is killed. `on_blocked` is called before `done` if the check
  /// blocks for long, on a thread that nothing else needs.
  [[nodiscard]] virtual loop::Subscription run(const Check& check, Done done,
                                               loop::Task on_blocked) = 0;
};

}  // namespace patchbay::health
