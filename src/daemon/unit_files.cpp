#include "daemon/unit_files.h"

#include <utility>

#include "base/log.h"

namespace patchbay::daemon {
namespace {

/// A directory that is not there yet, or full, is looked at again so soon.
constexpr loop::Milliseconds kRetry = std::chrono::seconds(5);

inventory::SnapshotPtr nothing_of(const inventory::Snapshot& snapshot) {
  return std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.plan = snapshot.plan, .resource = snapshot.resource, .units = {}});
}

}  // namespace

UnitFiles::UnitFiles(loop::EventLoop& loop, specs::Places places, Publish publish)
    : loop_(loop), places_(std::move(places)), publish_(std::move(publish)) {}

UnitFiles::~UnitFiles() {
  for (const Resource& resource : resources_) {
    specs::remove_device_infos(places_, resource.written);
  }
}

void UnitFiles::start(Snapshots first, std::move_only_function<void(Snapshots)> ready) {
  auto jobs = std::make_shared<std::vector<Job>>();
  for (auto& snapshot : first) {
    resources_.push_back(
        {.newest = snapshot, .writing = true, .written = {}, .failure = {}, .retry = {}});
    jobs->push_back({std::move(snapshot), {}, {}});
  }
  auto removed = std::make_shared<Result<size_t>>();
  loop_.work(
      [places = places_, jobs, removed] {
        specs::FilePaths all;
        for (Job& job : *jobs) {
          job.outcome = specs::write_unit_files(places, *job.snapshot, job.written);
          all.insert(job.written.begin(), job.written.end());
        }
        *removed = specs::remove_old_unit_files(places, all);
      },
      [jobs, removed, ready = std::move(ready), self = std::weak_ptr(self_)]() mutable {
        const auto me = self.lock();
        if (!me) return;
        if (!*removed) {
          log::warning("cannot remove files of units that an earlier run left",
                       {{"reason", removed->error().message}});
        } else if (**removed > 0) {
          log::info("removed files of units that an earlier run left",
                    {{"count", std::to_string(**removed)}});
        }
        (*me)->started(*jobs, ready);
      });
}

void UnitFiles::started(std::vector<Job>& jobs, std::move_only_function<void(Snapshots)>& ready) {
  Snapshots first;
  for (size_t index = 0; index < jobs.size(); ++index) {
    const auto& snapshot = jobs[index].snapshot;
    first.push_back(take(index, jobs[index]) ? snapshot : nothing_of(*snapshot));
  }
  ready(std::move(first));
  for (size_t index = 0; index < jobs.size(); ++index) {
    if (resources_[index].newest != jobs[index].snapshot) publish(resources_[index].newest);
  }
}

void UnitFiles::publish(inventory::SnapshotPtr snapshot) {
  const size_t index = snapshot->resource;
  Resource& resource = resources_[index];
  resource.newest = std::move(snapshot);
  if (resource.writing) return;
  if (specs::has_unit_files(resource.newest->resource_plan())) {
    write(index);
  } else {
    publish_(resource.newest);
  }
}

void UnitFiles::write(size_t index) {
  Resource& resource = resources_[index];
  resource.writing = true;
  resource.retry.reset();
  auto job = std::make_shared<Job>(Job{resource.newest, resource.written, {}});
  loop_.work(
      [places = places_, job] {
        job->outcome = specs::write_unit_files(places, *job->snapshot, job->written);
      },
      [index, job, self = std::weak_ptr(self_)] {
        const auto me = self.lock();
        if (!me) return;
        UnitFiles& files = **me;
        const bool fine = files.take(index, *job);
        if (fine) files.publish_(job->snapshot);
        if (files.resources_[index].newest != job->snapshot) files.write(index);
      });
}

bool UnitFiles::take(size_t index, Job& job) {
  Resource& resource = resources_[index];
  resource.writing = false;
  resource.written = std::move(job.written);
  const std::string& name = job.snapshot->resource_plan().name;
  if (job.outcome) {
    if (!std::exchange(resource.failure, {}).empty()) {
      log::info("the files of units are written again", {{"resource", name}});
    }
    return true;
  }
  const std::string& reason = job.outcome.error().message;
  const auto say = reason == resource.failure ? log::debug : log::warning;
  say("cannot write the files of units, the kubelet keeps the list that it has",
      {{"resource", name}, {"reason", reason}});
  resource.failure = reason;
  resource.retry = loop_.after(kRetry, [this, index] { write(index); });
  return false;
}

}  // namespace patchbay::daemon
