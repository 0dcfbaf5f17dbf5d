#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/current_path.h"
#include "base/result.h"
#include "inventory/snapshot.h"
#include "loop/blocking_work.h"
#include "loop/event_loop.h"
#include "specs/unit_file_store.h"

namespace patchbay::daemon {

/// Keeps the files that others read of a resource's units (CDI specs, device-info files) ahead of
/// what the kubelet knows: a list goes on when its files are written, on a work thread. While they
/// cannot be, the kubelet keeps the list that it has; of the first list, none. Loop thread.
class UnitFileWriter {
 public:
  using Publish = std::function<void(inventory::SnapshotPtr)>;

  /// `publish` is told what goes on, and may leave out a snapshot that a newer one has overtaken.
  /// It is first told of the first snapshot, without its units if their files cannot be written.
  /// `work` outlives it.
  UnitFileWriter(loop::EventLoop& loop, loop::BlockingWork& work,
                 std::shared_ptr<specs::UnitFileStore> store, Publish publish);
  UnitFileWriter(const UnitFileWriter&) = delete;
  UnitFileWriter& operator=(const UnitFileWriter&) = delete;
  ~UnitFileWriter() = default;

  /// A newer snapshot of the resource.
  void publish(inventory::SnapshotPtr snapshot);

  /// Removes all files, and calls `removed`, later, also where they cannot be removed; nothing is
  /// published any more. This object may be destroyed in it.
  void remove(loop::Task removed);

 private:
  void write();
  void run(std::function<Result<void>(CurrentPath&)> blocking,
           std::function<void(UnitFileWriter&, const Result<void>&)> done);
  void on_written(const inventory::SnapshotPtr& snapshot, const Result<void>& outcome);
  void forward(inventory::SnapshotPtr snapshot);
  void note_failure(const std::string& reason);
  void remove_now();

  loop::EventLoop& loop_;
  loop::BlockingWork& work_;
  std::shared_ptr<specs::UnitFileStore> store_;
  Publish publish_;
  inventory::SnapshotPtr newest_;  ///< The last asked for.
  bool writing_ = false;
  bool has_files_ = false;  ///< Some may be written.
  bool forwarded_ = false;  ///< Something was.
  std::string failure_;     ///< Why the last attempt failed; empty if it did not.
  loop::Subscription working_;
  std::shared_ptr<const CurrentPath> whereabouts_;  ///< Of what works, or hangs still.
  loop::Subscription retry_;
  loop::Task removed_;  ///< Called when the files are removed; null: nobody wants that.
};

}  // namespace patchbay::daemon
