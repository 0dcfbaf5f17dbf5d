#include "daemon/pre_start_runner.h"

#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "inventory/unit_checks.h"

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

void PreStartRunner::prepare(const inventory::SnapshotPtr& snapshot, std::vector<std::string> ids,
                             PreparedCallback prepared) {
  loop_.post(weak_self_.guard([snapshot, ids = std::move(ids),
                               prepared = std::move(prepared)](PreStartRunner& runner) mutable {
    const auto call = std::make_shared<Call>();
    call->prepared = std::move(prepared);
    call->end = runner.loop_.now() + rules::kPreStartBudget;
    runner.begin(*snapshot, ids, call);
  }));
}

void PreStartRunner::begin(const inventory::Snapshot& snapshot, const std::vector<std::string>& ids,
                           const std::shared_ptr<Call>& call) {
  const rules::ResourcePlan& resource = *snapshot.resource;
  std::map<std::string, std::vector<Step>> steps;
  for (const std::string& id : ids) {
    const auto listed = snapshot.find_listed(id);
    if (!listed || steps.contains(listed->unit->id)) continue;
    auto of_unit = inventory::steps_of(resource, *listed->unit);
    if (!of_unit) {
      call->prepared(fail(fmt::format("unit '{}'", listed->unit->id), of_unit.error()));
      return;
    }
    if (!of_unit->empty()) steps.emplace(listed->unit->id, *std::move(of_unit));
  }
  if (steps.empty()) return call->prepared({});
  call->units_left = steps.size();
  for (auto& [id, of_unit] : steps) {
    const std::string key = resource.name + '\n' + id;
    auto& jobs = jobs_[key];
    jobs.push_back({call, id, std::move(of_unit)});
    if (jobs.size() == 1) run_next(key);
  }
}

void PreStartRunner::run_next(const std::string& key) {
  Job& job = jobs_.at(key).front();
  const auto left = std::chrono::floor<loop::Milliseconds>(job.call->end - loop_.now());
  // The steps of a call that has already failed are skipped.
  const bool wanted = static_cast<bool>(job.call->prepared);
  if (wanted && left > loop::Milliseconds::zero()) {
    running_[key] = runner_.run(std::move(job.steps), left, [this, key](const Result<void>& done) {
      on_steps_done(key, done);
    });
    return;
  }
  running_[key] = loop_.after(loop::Milliseconds(0), [this, key] {
    on_steps_done(key, fail("an earlier start of the same unit used all the time"));
  });
}

void PreStartRunner::on_steps_done(const std::string& key, const Result<void>& result) {
  running_.erase(key);
  auto jobs = jobs_.find(key);
  const Job job = std::move(jobs->second.front());
  jobs->second.pop_front();
  if (jobs->second.empty()) {
    jobs_.erase(jobs);
  } else {
    run_next(key);
  }
  job.call->unit_done(result ? result : fail(fmt::format("unit '{}'", job.unit), result.error()));
}

}  // namespace patchbay::daemon
