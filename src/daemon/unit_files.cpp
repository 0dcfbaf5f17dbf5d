#include "daemon/unit_files.h"

#include <utility>

#include "base/log.h"

namespace patchbay::daemon {
namespace {

/// A directory that is not there yet, or full, is looked at again so soon.
constexpr loop::Milliseconds kRetry = std::chrono::seconds(5);

inventory::SnapshotPtr nothing_of(const inventory::Snapshot& snapshot) {
  return std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.resource = snapshot.resource, .units = {}});
}

}  // namespace

UnitFiles::UnitFiles(loop::EventLoop& loop, specs::Places places, Publish publish)
    : loop_(loop), places_(std::move(places)), publish_(std::move(publish)) {}

UnitFiles::~UnitFiles() {
  for (const auto& [name, resource] : resources_) {
    specs::remove_device_infos(places_, resource.written);
  }
}

void UnitFiles::start(Snapshots first, std::move_only_function<void(Snapshots)> ready) {
  auto jobs = std::make_shared<std::vector<Job>>();
  for (auto& snapshot : first) {
    resources_.emplace(
        snapshot->resource->name,
        Resource{.newest = snapshot, .writing = true, .written = {}, .failure = {}, .retry = {}});
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
  for (Job& job : jobs) {
    Resource& resource = resources_.at(job.snapshot->resource->name);
    first.push_back(take(resource, job) ? job.snapshot : nothing_of(*job.snapshot));
  }
  ready(std::move(first));
  for (const Job& job : jobs) {
    const auto& newest = resources_.at(job.snapshot->resource->name).newest;
    if (newest != job.snapshot) publish(newest);
  }
}

void UnitFiles::publish(inventory::SnapshotPtr snapshot) {
  Resource& resource = resources_.at(snapshot->resource->name);
  resource.newest = std::move(snapshot);
  if (resource.writing) return;
  if (specs::has_unit_files(*resource.newest->resource)) {
    write(resource);
  } else {
    publish_(resource.newest);
  }
}

void UnitFiles::write(Resource& resource) {
  resource.writing = true;
  resource.retry.reset();
  auto job = std::make_shared<Job>(Job{resource.newest, resource.written, {}});
  loop_.work(
      [places = places_, job] {
        job->outcome = specs::write_unit_files(places, *job->snapshot, job->written);
      },
      [&resource, job, self = std::weak_ptr(self_)] {
        const auto me = self.lock();
        if (!me) return;
        UnitFiles& files = **me;
        const bool fine = files.take(resource, *job);
        if (fine) files.publish_(job->snapshot);
        if (resource.newest != job->snapshot) files.write(resource);
      });
}

bool UnitFiles::take(Resource& resource, Job& job) {
  resource.writing = false;
  resource.written = std::move(job.written);
  const std::string& name = job.snapshot->resource->name;
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
  resource.retry = loop_.after(kRetry, [this, &resource] { write(resource); });
  return false;
}

}  // namespace patchbay::daemon
