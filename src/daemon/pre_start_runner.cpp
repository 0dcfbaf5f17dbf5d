#include "daemon/pre_start_runner.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "rules/plan/plan.h"

namespace patchbay::daemon {

/// One PreStartContainer call.
struct PreStartRunner::Call {
  PreparedCallback prepared;
  loop::Time end;
  size_t units_left = 0;

  void unit_done(const Result<void>& result) {
    --units_left;
    if (!prepared || (result && units_left > 0)) return;
    std::exchange(prepared, nullptr)(result);
  }
};

void PreStartRunner::run(inventory::StepsByUnit steps, PreparedCallback prepared) {
  loop_.post(weak_self_.guard(
      [steps = std::move(steps), prepared = std::move(prepared)](PreStartRunner& runner) mutable {
        runner.begin(std::move(steps), std::move(prepared));
      }));
}

void PreStartRunner::begin(inventory::StepsByUnit steps, PreparedCallback prepared) {
  if (steps.empty()) return prepared({});
  const auto call = std::make_shared<Call>();
  call->prepared = std::move(prepared);
  call->end = loop_.now() + rules::kPreStartBudget;
  call->units_left = steps.size();
  for (auto& [unit, of_unit] : steps) {
    auto& jobs = jobs_[unit];
    jobs.push_back({call, std::move(of_unit)});
    if (jobs.size() == 1) run_next(unit);
  }
}

void PreStartRunner::run_next(const inventory::UnitName& unit) {
  Job& job = jobs_.at(unit).front();
  const auto left = std::chrono::floor<loop::Milliseconds>(job.call->end - loop_.now());
  // The steps of a call that has already failed are skipped.
  const bool wanted = static_cast<bool>(job.call->prepared);
  if (wanted && left > loop::Milliseconds::zero()) {
    running_[unit] =
        runner_.run(std::move(job.steps), left,
                    [this, unit](const Result<void>& done) { on_steps_done(unit, done); });
    return;
  }
  running_[unit] = loop_.after(loop::Milliseconds(0), [this, unit] {
    on_steps_done(unit, fail("an earlier start of the same unit used all the time"));
  });
}

void PreStartRunner::on_steps_done(const inventory::UnitName& unit, const Result<void>& result) {
  running_.erase(unit);
  auto jobs = jobs_.find(unit);
  const Job job = std::move(jobs->second.front());
  jobs->second.pop_front();
  if (jobs->second.empty()) {
    jobs_.erase(jobs);
  } else {
    run_next(unit);
  }
  job.call->unit_done(result ? result
                             : fail(fmt::format("unit '{}'", unit.second), result.error()));
}

}  // namespace patchbay::daemon
