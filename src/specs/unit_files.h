#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/host_root.h"
#include "inventory/snapshot.h"
#include "specs/spec_files.h"

namespace patchbay::specs {

struct Places {
  std::string cdi_directory;
  std::string device_info_directory;
  host::HostRoot root{};
};

/// Whether others read files of the resource's units: CDI specs, device-info files.
[[nodiscard]] bool has_unit_files(const rules::ResourcePlan& resource);

/// The files that others read of the units of all resources, and which of them are ours. Any
/// thread; every call blocks, also while another one does.
class UnitFileStore {
 public:
  explicit UnitFileStore(Places places) : places_(std::move(places)) {}

  /// The first lists of all resources, before any is written. Of the files that an earlier run left
  /// those that are for units of these lists stay until they are written anew: containers that have
  /// units may be started again at any moment.
  void expect(std::vector<inventory::SnapshotPtr> lists);

  /// No other process of ours is there whose the files of other resources may be.
  void nobody_else_writes();

  /// Writes the files for the units of the snapshot, and removes those of its resource that are not
  /// for them; before all that, once and if nobody else writes, what earlier runs left.
  [[nodiscard]] Result<void> write(const inventory::Snapshot& snapshot);

  /// Removes what earlier runs left, if no write() has done so, and says how many files that was; a
  /// file that stays is an Error.
  [[nodiscard]] Result<size_t> remove_old();

  /// We end: removes its device-info files, as their specification asks for. Its CDI spec stays:
  /// containers that have units are started again also while we are away.
  void remove_device_infos(const std::string& resource);

  /// The resource is offered no more: removes all its files.
  void remove_all(const std::string& resource);

 private:
  /// With the lock held.
  void take_over();

  Places places_;
  std::mutex mutex_;
  /// Those that are or may be there, by resource. Guarded by mutex_, as are the next three.
  std::map<std::string, FilePaths> written_;
  std::vector<inventory::SnapshotPtr> expected_;
  std::optional<Result<size_t>> old_removed_;  ///< Null: not yet.
  bool alone_ = false;
};

}  // namespace patchbay::specs
