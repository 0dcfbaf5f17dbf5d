#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "host/host_root.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"

namespace patchbay::health {

/// What checks and steps have in common.
struct RunOptions {
  host::HostRoot root{};  ///< Not of programs: theirs are our own.
  /// All that programs get; see loop::child_environment().
  std::vector<std::string> environment{};
};

/// Finds out what a Check asks. Loop thread; what may block runs elsewhere. How often, and what
/// follows, is for the caller.
class CheckRunner {
 public:
  using Done = std::move_only_function<void(CheckResult)>;

  /// Both outlive the runner.
  [[nodiscard]] static std::unique_ptr<CheckRunner> create(loop::EventLoop& loop,
                                                           loop::WorkThreads& threads,
                                                           RunOptions options);
  virtual ~CheckRunner() = default;

  /// `done` is called once, later, at the latest when Check::timeout is over; what hangs by then
  /// has failed, and is not begun again while it hangs. To end the Subscription is to hear nothing;
  /// a program is then killed. `on_blocked` is called before if it waits for the kernel for long,
  /// in a thread that nobody else needs.
  [[nodiscard]] virtual loop::Subscription run(const Check& check, Done done,
                                               loop::Task on_blocked) = 0;
  [[nodiscard]] loop::Subscription run(const Check& check, Done done) {
    return run(check, std::move(done), nullptr);
  }
};

}  // namespace patchbay::health
