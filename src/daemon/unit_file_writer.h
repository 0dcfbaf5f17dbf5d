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

/// Writes the unit files of a resource (CDI specs and device-info files) before the kubelet gets
/// the list. Work threads write the files, and then the list is forwarded. If the files cannot be
/// written, the list is not forwarded, and the kubelet keeps its previous list. Loop thread.
class UnitFileWriter {
 public:
  using Publish = std::function<void(inventory::SnapshotPtr)>;

  /// `publish` is called with each snapshot whose files are written. While a write is in progress,
  /// only the newest waiting snapshot is kept. `work` outlives this object.
  UnitFileWriter(loop::EventLoop& loop, loop::BlockingWork& work,
                 std::shared_ptr<specs::UnitFileStore> store, Publish publish);
  UnitFileWriter(const UnitFileWriter&) = delete;
  UnitFileWriter& operator=(const UnitFileWriter&) = delete;
  ~UnitFileWriter() = default;

  /// Writes the files of a newer snapshot, and then forwards it.
  void publish(inventory::SnapshotPtr snapshot);

  /// Removes all files, and then calls `removed`, even if the removal fails. `removed` is never
  /// called within this call, and may destroy this object. Waiting snapshots are not forwarded.
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
  inventory::SnapshotPtr newest_;     ///< The last one given to publish().
  inventory::SnapshotPtr writing_;    ///< The one whose files are being written; null: none.
  bool has_files_ = false;            ///< Some files may exist.
  inventory::SnapshotPtr forwarded_;  ///< The last one forwarded; null: none.
  std::string failure_;               ///< Why the last attempt failed; empty if it did not.
  loop::Subscription working_;
  std::shared_ptr<const CurrentPath> timed_out_path_;  ///< Path of the operation that timed out.
  loop::Subscription retry_;
  loop::Task removed_;  ///< The argument of remove(); null before it, and after its call.
};

}  // namespace patchbay::daemon
