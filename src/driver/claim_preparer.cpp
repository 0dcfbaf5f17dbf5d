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
#include "inventory/unit_checks.h"
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

constexpr std::string_view kReleaseFailed =
    "the devices of a ResourceClaim cannot be released: they stay occupied";
constexpr const char* kStopped = "stopped: the Pod was deleted";

inventory::PathExists exists_below(const paths::HostRoot& root) {
  return [&root](const std::string& path, bool device) { return root.exists(path, device); };
}

Result<void> write_spec(const ClaimPreparer::Options& options, const ClaimRecord& record) {
  return write_claim_spec(options.cdi_directory, record,
                          [&](const std::string& path) { return options.root.resolve(path); });
}

/// Whether a device with these keys existed, and does not exist any more. May block.
bool is_unplugged(const paths::HostRoot& root, const std::vector<std::string>& keys) {
  const auto is_path = [](const std::string& key) { return key.starts_with('/'); };
  const auto exists = [&](const std::string& key) {
    return is_path(key) && root.exists(key, false);
  };
  return std::ranges::any_of(keys, is_path) && std::ranges::none_of(keys, exists);
}

}  // namespace

/// A call of the kubelet, or work of our own. Blocking work has it while it runs.
struct ClaimPreparer::Job {
  ResourceClaimName claim;
  Done done;
  ClaimRecord record{};
  std::vector<ClaimUnit> units{};  ///< The unit of each device.
  loop::Time end{};                ///< When the steps of `release` must have ended.
  size_t device = 0;               ///< The device whose steps of `release` run.
  bool unplugged = false;          ///< That device does not exist any more.
};

ClaimPreparer::ClaimPreparer(loop::EventLoop& loop, loop::BlockingWork& work,
                             steps::StepRunner& steps, Options options, Callbacks callbacks)
    : loop_(loop),
      work_(work),
      steps_(steps),
      options_(std::make_shared<const Options>(std::move(options))),
      callbacks_(std::move(callbacks)),
      store_(std::make_shared<const ClaimStore>(options_->directory)) {}

void ClaimPreparer::load(std::move_only_function<void(const Result<void>&)> loaded) {
  loads_.push_back(std::move(loaded));
  const auto read = std::make_shared<Result<StoredClaims>>();
  loading_ = work_.run(
      "records of ResourceClaims", kFileTimeout,
      [store = store_, read, options = options_] {
        *read = store->read_all(options->cdi_directory);
      },
      [this, read](loop::WorkOutcome outcome) {
        if (outcome != loop::WorkOutcome::done) return finish_load(fail(hung_text(outcome)));
        if (!*read) return finish_load(std::unexpected(read->error()));
        take(*std::move(*read));
        finish_load({});
      });
}

void ClaimPreparer::finish_load(const Result<void>& loaded) {
  for (auto& call : std::exchange(loads_, {})) call(loaded);
}

void ClaimPreparer::take(StoredClaims read) {
  std::erase_if(stored_.records, [&](const auto& known) { return !serves(known.second); });
  for (auto& [uid, record] : read.records) {
    if (!serves(record)) stored_.records.insert_or_assign(uid, std::move(record));
  }
  stored_.unreadable = std::move(read.unreadable);
  callbacks_.changed();
}

/// An unreadable file may have been removed by hand. The kubelet repeats the call.
void ClaimPreparer::reload_unreadable() {
  if (!stored_.unreadable.empty()) load([](const Result<void>& /*loaded*/) {});
}

void ClaimPreparer::set_served(std::set<std::string> drivers) {
  served_ = std::move(drivers);
  if (!release_retry_) retry_releases();
}

void ClaimPreparer::prepare(const ResourceClaimName& claim, Done done) {
  call(claim.uid, [this, claim, done = std::move(done)]() mutable {
    const ClaimState state = claim_state(stored_, claim, options_->boot_id);
    const auto job = begin(claim, std::move(done));
    switch (first_action(ClaimCall::prepare, state)) {
      case ClaimAction::read_claim:
        return read_claim(job);
      case ClaimAction::find_units:
        return find_units(job);
      case ClaimAction::answer:
        return finish(job);
      case ClaimAction::fail:
        reload_unreadable();
        return end(job, std::unexpected(prepare_fault(stored_, claim.uid, state)));
      case ClaimAction::release:
      case ClaimAction::remove:
      case ClaimAction::succeed:
        break;
    }
    std::unreachable();
  });
}

void ClaimPreparer::unprepare(const ResourceClaimName& claim, Done done) {
  call(claim.uid, [this, claim, done = std::move(done)]() mutable {
    const ClaimState state = claim_state(stored_, claim, options_->boot_id);
    const auto job = begin(claim, std::move(done));
    switch (first_action(ClaimCall::unprepare, state)) {
      case ClaimAction::release:
        return release(job);
      case ClaimAction::remove:
        return remove(job);
      default:
        return end(job, {});
    }
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

void ClaimPreparer::restore_specs() {
  for (const auto& [uid, record] : stored_.records) follow_units(uid);
}

void ClaimPreparer::follow_units(const std::string& uid) {
  if (const auto running = running_.find(uid); running != running_.end()) {
    running->second.units_changed = true;
    return;
  }
  const ClaimRecord& record = stored_.records.at(uid);
  const bool is_prepared =
      record.phase == ClaimPhase::prepared && record.boot_id == options_->boot_id;
  if (!is_prepared || !serves(record)) return;
  const auto job = begin_own(record, "restarted containers may get former device nodes");
  if (auto units = find_claim_units(record, callbacks_.lists())) job->units = *std::move(units);
  blocking(
      job,
      [job, files = store_, options = options_]() -> Result<void> {
        const ClaimRecord before = job->record;
        Result<void> done;
        if (!job->units.empty()) {
          done = render_claim(job->record, job->units, exists_below(options->root));
        }
        // The spec first: a crash before the write of the record repeats both.
        if (done) done = write_spec(*options, job->record);
        if (done && job->record != before) done = files->write(job->record);
        return done;
      },
      &ClaimPreparer::answer);
}

/// Begins a job without a call of the kubelet. A failure is logged as `failed`.
ClaimPreparer::JobPtr ClaimPreparer::begin_own(const ClaimRecord& record, std::string_view failed) {
  return begin({.driver = record.driver,
                .uid = record.uid,
                .namespace_name = record.name_space,
                .name = record.name},
               [failed, subject = claim_text(record.name_space, record.name)](const auto& done) {
                 if (done) return;
                 log::warning(failed, {{"for", subject}, {"reason", done.error().message}});
               });
}

/// Runs a call of the kubelet, or delays it until a job of our own has ended.
void ClaimPreparer::call(const std::string& uid, loop::Task task) {
  const auto running = running_.find(uid);
  if (running == running_.end()) return task();
  running->second.next_call = std::move(task);
}

ClaimPreparer::JobPtr ClaimPreparer::begin(const ResourceClaimName& claim, Done done) {
  const auto job = std::make_shared<Job>(claim, std::move(done));
  if (const auto found = stored_.records.find(claim.uid); found != stored_.records.end()) {
    job->record = found->second;
  }
  running_[claim.uid].job = job;
  return job;
}

void ClaimPreparer::end(const JobPtr& job, ClaimOutcome outcome) {
  auto running = std::move(running_.extract(job->claim.uid).mapped());
  running.work.reset();  // May destroy the callback that has `job`.
  std::exchange(running.job->done, nullptr)(std::move(outcome));
  if (running.next_call) running.next_call();
  const std::string& uid = running.job->claim.uid;
  if (running.units_changed && stored_.records.contains(uid)) follow_units(uid);
}

void ClaimPreparer::read_claim(const JobPtr& job) {
  callbacks_.get_claim(job->claim, weak_self_.guard([job](ClaimPreparer& self, Result<Json> claim) {
    if (!claim) return self.end(job, std::unexpected(std::move(claim).error()));
    const Options& options = *self.options_;
    const std::string& driver = job->claim.driver;
    auto allocated =
        read_allocation(*claim, {.uid = job->claim.uid, .driver = driver, .pool = options.pool});
    if (!allocated) return self.end(job, std::unexpected(allocated.error()));
    job->record = {.driver = driver,
                   .uid = job->claim.uid,
                   .name_space = job->claim.namespace_name,
                   .name = job->claim.name,
                   .claim = std::move(allocated->claim),
                   .pods = std::move(allocated->pods)};
    for (const AllocationResult& result : allocated->devices) {
      const auto unit = self.callbacks_.find_device(driver, result.device);
      if (!unit) return self.end(job, std::unexpected(unit.error()));
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
  if (const auto free = check_unoccupied(job->record, stored_); !free) {
    reload_unreadable();
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

void ClaimPreparer::release(const JobPtr& job) {
  ClaimRecord& record = job->record;
  if (record.boot_id != options_->boot_id) {
    const auto found = find_units_to_release(record);
    if (!found) return end(job, std::unexpected(found.error()));
  }
  // A failed release stays one, because no call of the kubelet repeats it.
  if (record.phase != ClaimPhase::release_failed) record.phase = ClaimPhase::releasing;
  if (record.release_since == decltype(record.release_since){}) {
    record.release_since = options_->clock();
  }
  job->end = loop_.now() + rules::kReleaseBudget;
  if (std::ranges::all_of(record.devices, &std::vector<Step>::empty, &RecordedDevice::release)) {
    return remove(job);
  }
  store(record);
  blocking(
      job, [job, files = store_] { return files->write(job->record); },
      &ClaimPreparer::run_release);
}

/// After a reboot, a device node can have another device. So the units are found again by resource
/// and id, and their steps are rendered again. An absent unit has no steps.
Result<void> ClaimPreparer::find_units_to_release(ClaimRecord& record) const {
  const auto lists = callbacks_.lists();
  for (RecordedDevice& device : record.devices) {
    if (callbacks_.is_missing(device.resource)) {
      return fail(
          fmt::format("device {}: the devices of '{}' are not known yet; the kubelet calls "
                      "again",
                      device.device, device.resource));
    }
    device.release.clear();
    device.keys.clear();
    const auto list = std::ranges::find_if(
        lists, [&](const auto& of) { return of->resource->name == device.resource; });
    const inventory::Unit* unit = list == lists.end() ? nullptr : (*list)->find(device.unit);
    if (unit == nullptr || device.admin_access) continue;
    auto steps = inventory::steps_of(*(*list)->resource, *unit, &rules::GroupPlan::release);
    if (!steps) return fail("device " + device.device, steps.error());
    device.release = *std::move(steps);
    device.keys = exclusive_keys(*(*list)->resource, *unit->members);
  }
  record.boot_id = options_->boot_id;
  return {};
}

void ClaimPreparer::run_release(const JobPtr& ended) {
  Running& running = running_.at(ended->claim.uid);
  running.work.reset();  // The steps of the device before, and perhaps their callback with `ended`.
  const JobPtr& job = running.job;
  const auto& devices = job->record.devices;
  while (job->device < devices.size() && devices[job->device].release.empty()) ++job->device;
  if (job->device == devices.size()) return remove(job);
  const auto left = std::chrono::ceil<loop::Milliseconds>(job->end - loop_.now());
  running.work =
      steps_.run(devices[job->device].release, std::max(left, loop::Milliseconds(0)),
                 [this, job = job](const Result<void>& result) { release_ended(job, result); });
}

void ClaimPreparer::release_ended(const JobPtr& job, const Result<void>& result) {
  if (result) {
    ++job->device;
    return run_release(job);
  }
  const RecordedDevice& device = job->record.devices[job->device];
  job->record.failure = fmt::format("device {}: {}", device.device, result.error().message);
  blocking(
      job,
      [job, options = options_]() -> Result<void> {
        job->unplugged = is_unplugged(options->root, job->record.devices[job->device].keys);
        return {};
      },
      &ClaimPreparer::after_failed_step);
}

void ClaimPreparer::after_failed_step(const JobPtr& job) {
  const ClaimRecord& record = job->record;
  if (!job->unplugged) return end_failed_release(job);
  log::warning("a step of release failed, and its device is unplugged: it counts as done",
               {{"for", claim_text(record.name_space, record.name)}, {"reason", record.failure}});
  ++job->device;
  run_release(job);
}

void ClaimPreparer::end_failed_release(const JobPtr& job) {
  ClaimRecord& record = job->record;
  const bool is_first = record.phase != ClaimPhase::release_failed;
  const bool is_new = record.failure != stored_.records.at(record.uid).failure;
  const log::Fields fields{{"for", claim_text(record.name_space, record.name)},
                           {"reason", record.failure}};
  store(record);
  if (is_first && options_->clock() - record.release_since < record.release_timeout) {
    // The kubelet sends no event for a failed Unprepare.
    if (is_new) log::warning("a step of release failed: its device stays occupied", fields);
    return end(job, fail("release: " + record.failure));
  }
  if (is_first) log::error(kReleaseFailed, fields);
  record.phase = ClaimPhase::release_failed;
  blocking(
      job,
      [job, files = store_, options = options_] {
        auto removed = remove_claim_spec(options->cdi_directory, job->record.uid);
        return removed ? files->write(job->record) : removed;
      },
      &ClaimPreparer::give_up_release);
}

void ClaimPreparer::give_up_release(const JobPtr& job) {
  store(job->record);
  end(job, {});
  if (!release_retry_) retry_releases();
}

/// Starts the timer of failed releases, if there is one. After it, tries them again.
void ClaimPreparer::retry_releases() {
  const auto has_failed = [this](const auto& stored) {
    return stored.second.phase == ClaimPhase::release_failed && serves(stored.second);
  };
  release_retry_.reset();
  if (std::ranges::none_of(stored_.records, has_failed)) return;
  release_retry_ = loop_.after(kReleaseRetry, [this, has_failed] {
    std::vector<ClaimRecord> failed;
    for (const auto& stored : stored_.records) {
      if (has_failed(stored) && !running_.contains(stored.first)) failed.push_back(stored.second);
    }
    for (const ClaimRecord& record : failed) {
      release(begin_own(record, kReleaseFailed));
    }
    retry_releases();
  });
}

void ClaimPreparer::remove(const JobPtr& job) {
  blocking(
      job,
      [uid = job->claim.uid, files = store_, options = options_] {
        auto removed = remove_claim_spec(options->cdi_directory, uid);
        return removed ? files->remove(uid) : removed;
      },
      &ClaimPreparer::forget);
}

void ClaimPreparer::forget(const JobPtr& job) {
  stored_.records.erase(job->claim.uid);
  stored_.unreadable.erase(job->claim.uid);
  callbacks_.changed();
  end(job, {});
}

std::vector<const RecordedDevice*> ClaimPreparer::devices(std::string_view driver) const {
  std::vector<const RecordedDevice*> devices;
  for (const auto& [uid, record] : stored_.records) {
    if (record.driver != driver || record.phase == ClaimPhase::release_failed) continue;
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
