#include "driver/claim_preparer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/log.h"
#include "base/text.h"
#include "driver/allocation_result.h"
#include "driver/claim_edits.h"
#include "driver/claim_spec.h"
#include "driver/preparation.h"
#include "rules/plan/plan.h"

namespace patchbay::driver {
namespace {

/// Writes of small files: longer ones count as hung. Less than the kubelet's 45 s with the steps.
constexpr loop::Milliseconds kFileTimeout{8000};

std::string hung_text(loop::WorkOutcome outcome) {
  return outcome == loop::WorkOutcome::no_thread
             ? std::string(kNoThreadText)
             : "the directory of ResourceClaims or CDI specs does not respond";
}

constexpr const char* kStopped = "stopped: the Pod was deleted";

inventory::PathExists exists_below(const paths::HostRoot& root) {
  return [&root](const std::string& path, bool device) { return root.exists(path, device); };
}

Result<void> write_spec(const ClaimPreparer::Options& options, const ClaimRecord& record) {
  return write_claim_spec(options.cdi_directory, record,
                          [&](const std::string& path) { return options.root.resolve(path); });
}

}  // namespace

/// A call of the kubelet, or a run of follow_units(). Blocking work has it while it runs.
struct ClaimPreparer::Job {
  ResourceClaimName claim;
  Done done;
  ClaimRecord record{};
  std::vector<ClaimUnit> units{};  ///< The unit of each device.
};

ClaimPreparer::ClaimPreparer(loop::BlockingWork& work, steps::StepRunner& steps, Options options,
                             Callbacks callbacks)
    : work_(work),
      steps_(steps),
      options_(std::make_shared<const Options>(std::move(options))),
      callbacks_(std::move(callbacks)),
      store_(std::make_shared<const ClaimStore>(options_->directory)) {}

void ClaimPreparer::load(std::function<void(Result<void>)> loaded) {
  const auto read = std::make_shared<Result<StoredClaims>>();
  loading_ = work_.run(
      "records of ResourceClaims", kFileTimeout,
      [store = store_, read] { *read = store->read_all(); },
      [this, read, loaded = std::move(loaded)](loop::WorkOutcome outcome) {
        if (outcome != loop::WorkOutcome::done) return loaded(fail(hung_text(outcome)));
        if (!*read) return loaded(std::unexpected(read->error()));
        stored_ = *std::move(*read);
        callbacks_.changed();
        loaded({});
      });
}

void ClaimPreparer::prepare(const ResourceClaimName& claim, Done done) {
  call(claim.uid, [this, claim, done = std::move(done)]() mutable {
    const ClaimState state = claim_state(stored_, claim.uid, options_->boot_id);
    const auto job = begin(claim, std::move(done));
    if (const auto found = stored_.records.find(claim.uid); found != stored_.records.end()) {
      job->record = found->second;
    }
    switch (first_action(ClaimCall::prepare, state)) {
      case ClaimAction::read_claim:
        return read_claim(job);
      case ClaimAction::find_units:
        return find_units(job);
      case ClaimAction::answer:
        return finish(job);
      case ClaimAction::fail:
        return end(job, std::unexpected(stored_.unreadable.find(claim.uid)->second));
      case ClaimAction::remove:
      case ClaimAction::succeed:
        break;
    }
    std::unreachable();
  });
}

void ClaimPreparer::unprepare(const ResourceClaimName& claim, Done done) {
  call(claim.uid, [this, claim, done = std::move(done)]() mutable {
    const ClaimState state = claim_state(stored_, claim.uid, options_->boot_id);
    const auto job = begin(claim, std::move(done));
    if (first_action(ClaimCall::unprepare, state) == ClaimAction::succeed) return end(job, {});
    blocking(
        job,
        [uid = claim.uid, files = store_, options = options_] {
          auto removed = remove_claim_spec(options->cdi_directory, uid);
          return removed ? files->remove(uid) : removed;
        },
        &ClaimPreparer::forget);
  });
}

void ClaimPreparer::stop_preparing(const std::string& uid) {
  const auto running = running_.find(uid);
  if (running == running_.end()) return;
  running->second.stopped = true;
  if (running->second.has_steps) end(running->second.job, fail(kStopped));
}

void ClaimPreparer::follow(std::string_view resource) {
  for (const auto& [uid, record] : stored_.records) {
    const auto found = std::ranges::find(record.devices, resource, &RecordedDevice::resource);
    if (found != record.devices.end()) follow_units(uid);
  }
}

void ClaimPreparer::follow_units(const std::string& uid) {
  if (const auto running = running_.find(uid); running != running_.end()) {
    running->second.units_changed = true;
    return;
  }
  if (claim_state(stored_, uid, options_->boot_id) != ClaimState::prepared) return;
  const ClaimRecord& record = stored_.records.at(uid);
  auto units = find_claim_units(record, callbacks_.lists());
  if (!units) return;
  const auto job = begin({.uid = uid, .namespace_name = record.name_space, .name = record.name},
                         [subject = claim_text(record.name_space, record.name)](const auto& done) {
                           if (done) return;
                           log::warning("restarted containers may get former device nodes",
                                        {{"for", subject}, {"reason", done.error().message}});
                         });
  job->record = record;
  job->units = *std::move(units);
  blocking(
      job,
      [job, files = store_, options = options_]() -> Result<void> {
        const ClaimRecord before = job->record;
        auto done = render_claim(job->record, job->units, exists_below(options->root));
        // The spec first: a crash before the write of the record repeats both.
        if (done) done = write_spec(*options, job->record);
        if (done && job->record != before) done = files->write(job->record);
        return done;
      },
      &ClaimPreparer::answer);
}

/// Runs a call of the kubelet, or delays it until follow_units() has ended.
void ClaimPreparer::call(const std::string& uid, loop::Task task) {
  const auto running = running_.find(uid);
  if (running == running_.end()) return task();
  running->second.next_call = std::move(task);
}

ClaimPreparer::JobPtr ClaimPreparer::begin(const ResourceClaimName& claim, Done done) {
  const auto job = std::make_shared<Job>(claim, std::move(done));
  running_[claim.uid].job = job;
  return job;
}

void ClaimPreparer::end(const JobPtr& job, ClaimOutcome outcome) {
  auto running = std::move(running_.extract(job->claim.uid).mapped());
  running.work.reset();  // May destroy the callback that has `job`.
  std::exchange(running.job->done, nullptr)(std::move(outcome));
  if (running.next_call) running.next_call();
  if (running.units_changed) follow_units(running.job->claim.uid);
}

void ClaimPreparer::read_claim(const JobPtr& job) {
  callbacks_.get_claim(job->claim, weak_self_.guard([job](ClaimPreparer& self, Result<Json> claim) {
    if (!claim) return self.end(job, std::unexpected(std::move(claim).error()));
    const Options& options = *self.options_;
    auto allocated = read_allocation(
        *claim, {.uid = job->claim.uid, .driver = options.driver, .pool = options.pool});
    if (!allocated) return self.end(job, std::unexpected(allocated.error()));
    job->record = {.driver = options.driver,
                   .uid = job->claim.uid,
                   .name_space = job->claim.namespace_name,
                   .name = job->claim.name,
                   .claim = std::move(allocated->claim),
                   .pods = std::move(allocated->pods)};
    for (const AllocationResult& result : allocated->devices) {
      const auto unit = self.callbacks_.find_device(result.device);
      if (!unit) {
        return self.end(job, fail(fmt::format("device {}: not on this node any more; plug it in "
                                              "again, or delete the Pod so that the scheduler "
                                              "chooses another device",
                                              result.device)));
      }
      job->record.devices.push_back({.request = result.request,
                                     .pool = options.pool,
                                     .device = result.device,
                                     .resource = unit->snapshot->resource->name,
                                     .unit = unit->unit->id,
                                     .admin_access = result.admin_access});
    }
    self.find_units(job);
  }));
}

void ClaimPreparer::find_units(const JobPtr& job) {
  auto units = find_claim_units(job->record, callbacks_.lists());
  if (!units) return end(job, std::unexpected(std::move(units).error()));
  job->units = *std::move(units);
  job->record.boot_id = options_->boot_id;
  job->record.phase = ClaimPhase::preparing;
  blocking(
      job,
      [job, options = options_] {
        return render_claim(job->record, job->units, exists_below(options->root));
      },
      &ClaimPreparer::store_new);
}

void ClaimPreparer::store_new(const JobPtr& job) {
  // On the loop thread, where no other ResourceClaim can take the devices meanwhile.
  if (const auto free = check_unoccupied(job->record, stored_.records); !free) {
    return end(job, std::unexpected(free.error()));
  }
  store(job->record);
  blocking(
      job, [job, files = store_] { return files->write(job->record); }, &ClaimPreparer::run_steps);
}

/// The units' steps run one after another, with the time of one container start.
void ClaimPreparer::run_steps(const JobPtr& job) {
  Running& running = running_.at(job->claim.uid);
  if (running.stopped) return end(job, fail(kStopped));
  std::vector<Step> steps;
  for (const RecordedDevice& device : job->record.devices) {
    steps.insert(steps.end(), device.steps.begin(), device.steps.end());
  }
  if (steps.empty()) return finish(job);
  running.has_steps = true;
  running.work =
      steps_.run(std::move(steps), rules::kPreStartBudget, [this, job](const Result<void>& result) {
        if (!result) return end(job, std::unexpected(result.error()));
        running_.at(job->claim.uid).has_steps = false;
        finish(job);
      });
}

/// Writes the CDI spec if it is missing, and the record if it is new.
void ClaimPreparer::finish(const JobPtr& job) {
  const bool is_new =
      std::exchange(job->record.phase, ClaimPhase::prepared) != ClaimPhase::prepared;
  blocking(
      job,
      [job, is_new, files = store_, options = options_] {
        auto written = write_spec(*options, job->record);
        return written && is_new ? files->write(job->record) : written;
      },
      &ClaimPreparer::answer);
}

void ClaimPreparer::answer(const JobPtr& job) {
  store(job->record);
  std::vector<PreparedDevice> answers;
  for (const RecordedDevice& device : job->record.devices) {
    answers.push_back({.requests = {device.request},
                       .pool = device.pool,
                       .device = device.device,
                       .cdi_ids = cdi_ids(job->record, device)});
  }
  end(job, std::move(answers));
}

void ClaimPreparer::forget(const JobPtr& job) {
  stored_.records.erase(job->claim.uid);
  stored_.unreadable.erase(job->claim.uid);
  callbacks_.changed();
  end(job, {});
}

std::vector<const RecordedDevice*> ClaimPreparer::devices() const {
  std::vector<const RecordedDevice*> devices;
  for (const auto& [uid, record] : stored_.records) {
    if (record.driver != options_->driver) continue;
    for (const RecordedDevice& device : record.devices) devices.push_back(&device);
  }
  return devices;
}

void ClaimPreparer::store(const ClaimRecord& record) {
  stored_.records[record.uid] = record;
  callbacks_.changed();
}

void ClaimPreparer::blocking(const JobPtr& job, std::move_only_function<Result<void>()> blocking,
                             void (ClaimPreparer::*next)(const JobPtr&)) {
  const auto result = std::make_shared<Result<void>>();
  running_.at(job->claim.uid).work = work_.run(
      "ResourceClaim " + job->claim.uid, kFileTimeout,
      [result, blocking = std::move(blocking)]() mutable { *result = blocking(); },
      [this, job, result, next](loop::WorkOutcome outcome) {
        if (outcome != loop::WorkOutcome::done) return end(job, fail(hung_text(outcome)));
        if (!*result) return end(job, std::unexpected(result->error()));
        (this->*next)(job);
      });
}

}  // namespace patchbay::driver
