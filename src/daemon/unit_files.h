#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "specs/unit_files.h"

namespace patchbay::daemon {

/// Keeps the files that others read of units (CDI specs, device-info files) ahead of what the
/// kubelet knows: a list goes on when its files are written, in the loop's pool. While they cannot
/// be, the kubelet keeps the list that it has. Loop thread.
class UnitFiles {
 public:
  using Publish = std::function<void(inventory::SnapshotPtr)>;
  using Snapshots = std::vector<inventory::SnapshotPtr>;

  /// `publish` is told every snapshot but the first ones, and may leave out one that a newer one of
  /// the resource has overtaken.
  UnitFiles(loop::EventLoop& loop, specs::Places places, Publish publish);
  UnitFiles(const UnitFiles&) = delete;
  UnitFiles& operator=(const UnitFiles&) = delete;
  /// Removes the device-info files.
  ~UnitFiles();

  /// Writes the files of all resources and removes what earlier runs left; then tells `ready` what
  /// to begin with: a resource whose files cannot be written offers nothing. Once.
  void start(Snapshots first, std::move_only_function<void(Snapshots)> ready);

  /// A newer snapshot of a resource that was among the first.
  void publish(inventory::SnapshotPtr snapshot);

 private:
  /// What is written of one resource.
  struct Resource {
    inventory::SnapshotPtr newest;  ///< The last asked for.
    bool writing = false;           ///< Or waiting for the start.
    specs::FilePaths written;
    std::string failure;  ///< Why the last attempt failed; empty if it did not.
    loop::Subscription retry;
  };
  /// One attempt, which crosses to the pool and back.
  struct Job {
    inventory::SnapshotPtr snapshot;
    specs::FilePaths written;
    Result<void> outcome;
  };

  void write(Resource& resource);
  /// Whether it went well.
  bool take(Resource& resource, Job& job);
  void started(std::vector<Job>& jobs, std::move_only_function<void(Snapshots)>& ready);

  loop::EventLoop& loop_;
  specs::Places places_;
  Publish publish_;
  std::map<std::string, Resource> resources_;  ///< By name.
  /// Expires with this object: what comes back from the pool is then dropped.
  std::shared_ptr<UnitFiles*> self_ = std::make_shared<UnitFiles*>(this);
};

}  // namespace patchbay::daemon
