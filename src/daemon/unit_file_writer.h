#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/current_path.h"
#include "base/result.h"
#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "specs/unit_file_store.h"

namespace patchbay::daemon {

/// Writes the files that others read of a resource's units (CDI specs, device-info files) before
/// the kubelet gets the list. A list is forwarded when its files are written, on a work thread.
/// While they cannot be written, the kubelet keeps its previous list, or gets no first one. Loop
/// thread.
class UnitFileWriter {
 public:
  using Publish = std::function<void(inventory::SnapshotPtr)>;

  /// `publish` is called with each snapshot whose files are written. A snapshot that a newer one
  /// replaced during a write is skipped. `work` outlives it.
  UnitFileWriter(loop::EventLoop& loop, loop::BlockingWork& work,
                 std::shared_ptr<specs::UnitFileStore> store, Publish publish);
  UnitFileWriter(const UnitFileWriter&) = delete;
  UnitFileWriter& operator=(const UnitFileWriter&) = delete;
  ~UnitFileWriter() = default;

  /// Takes a newer snapshot of the resource.
  void publish(inventory::SnapshotPtr snapshot);

  /// Removes all files, and then calls `removed`, later, also if the removal fails. Nothing is
  /// published any more. `removed` may destroy this object.
  void remove(loop::Task removed);

  /// Why the files of the newest snapshot cannot be written; empty: no failure.
  [[nodiscard]] const std::string& failure() const { return failure_; }

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
  inventory::SnapshotPtr newest_;     ///< The last one requested.
  inventory::SnapshotPtr writing_;    ///< Its files are being written; null: none.
  bool has_files_ = false;            ///< Some files may exist.
  inventory::SnapshotPtr forwarded_;  ///< The last one forwarded; null: none.
  std::string failure_;               ///< Why the last attempt failed; empty if it did not.
  loop::Subscription working_;
  std::shared_ptr<const CurrentPath> timed_out_path_;  ///< Path of the operation that timed out.
  loop::Subscription retry_;
  loop::Task removed_;  ///< Called when the files are removed; null: not requested.
};

}  // namespace patchbay::daemon
