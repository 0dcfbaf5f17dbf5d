#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "health/step_runner.h"
#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::daemon {

/// Runs the steps of `preStart` before containers start. Calls with different units run
/// concurrently. Calls with the same unit run one after another, because two concurrent resets of a
/// device disturb each other. The time of each call is limited: see rules::kPreStartBudget. Loop
/// thread, except for prepare().
class PreStartRunner {
 public:
  using PreparedCallback = std::function<void(const Result<void>&)>;

  /// Both outlive it.
  PreStartRunner(loop::EventLoop& loop, health::StepRunner& runner)
      : loop_(loop), runner_(runner) {}

  /// Runs the steps of all these units, which the snapshot must contain. `prepared` is called once,
  /// on the loop thread, with the first failure; never if the loop ends before. Any thread.
  void prepare(const inventory::SnapshotPtr& snapshot, std::vector<std::string> ids,
               PreparedCallback prepared);

 private:
  struct Call;
  /// The steps of one unit for one call.
  struct Job {
    std::shared_ptr<Call> call;
    std::string unit;
    std::vector<Step> steps;
  };

  void begin(const inventory::Snapshot& snapshot, const std::vector<std::string>& ids,
             const std::shared_ptr<Call>& call);
  void run_next(const std::string& key);
  void on_steps_done(const std::string& key, const Result<void>& result);

  loop::EventLoop& loop_;
  health::StepRunner& runner_;
  std::map<std::string, std::deque<Job>> jobs_;  ///< By resource and unit; the first one is
                                                 ///< running.
  std::map<std::string, loop::Subscription> running_;
  loop::WeakSelf<PreStartRunner> weak_self_{this};
};

}  // namespace patchbay::daemon
