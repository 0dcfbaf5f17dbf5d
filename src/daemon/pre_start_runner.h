#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "inventory/unit_checks.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "steps/step_runner.h"

namespace patchbay::daemon {

/// Runs the steps of `preStart` before containers start. Steps of different units run concurrently.
/// Steps of one unit run one after another, because concurrent resets of a device would disturb
/// each other. Each call has the time limit rules::kPreStartBudget. Loop thread, except for run().
class PreStartRunner {
 public:
  using PreparedCallback = std::function<void(const Result<void>&)>;

  /// `loop` and `runner` outlive this object.
  PreStartRunner(loop::EventLoop& loop, steps::StepRunner& runner) : loop_(loop), runner_(runner) {}

  /// Runs the steps, even of units that are no longer offered. `prepared` is called once, on the
  /// loop thread: at the first error, or when the steps of all units have succeeded. If the loop
  /// ends before that, `prepared` is not called. Any thread.
  void run(inventory::StepsByUnit steps, PreparedCallback prepared);

 private:
  struct Call;
  /// The steps of one unit for one call.
  struct Job {
    std::shared_ptr<Call> call;
    std::vector<Step> steps;
  };

  void begin(inventory::StepsByUnit steps, PreparedCallback prepared);
  void run_next(const inventory::UnitName& unit);
  void on_steps_done(const inventory::UnitName& unit, const Result<void>& result);

  loop::EventLoop& loop_;
  steps::StepRunner& runner_;
  std::map<inventory::UnitName, std::deque<Job>> jobs_;  ///< The first job of a unit is running.
  std::map<inventory::UnitName, loop::Subscription> running_;
  loop::WeakSelf<PreStartRunner> weak_self_{this};
};

}  // namespace patchbay::daemon
