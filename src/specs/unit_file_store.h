#pragma once

#include <string>
#include <vector>

#include "base/current_path.h"
#include "base/result.h"
#include "host/host_root.h"
#include "inventory/snapshot.h"
#include "specs/spec_directory.h"

namespace patchbay::specs {

struct UnitFileLocations {
  std::string cdi_directory;
  std::string device_info_directory;
  host::HostRoot root{};
};

/// Whether others read files of the resource's units: CDI specs, device-info files.
[[nodiscard]] bool has_unit_files(const rules::ResourcePlan& resource);

/// The files that others read of the units of all resources, and which of them are ours. Any
/// thread. What blocks says so, and fails where the directory hangs in another thread; what hangs
/// itself says where in `whereabouts`.
class UnitFileStore {
 public:
  explicit UnitFileStore(UnitFileLocations locations);

  /// The first lists of all resources, before any is written. Of the files that an earlier run left
  /// those that are for units of these lists stay until they are written anew: containers that have
  /// units may be started again at any moment. Of a list that is not whole all of its resource
  /// stay.
  void expect(const std::vector<inventory::SnapshotPtr>& lists);

  /// No other process of ours is there whose the files of other resources may be.
  void set_sole_writer();

  /// Writes the files for the units of the snapshot, and removes those of its resource that are not
  /// for them, unless the snapshot is not whole; before all that, once and if nobody else writes,
  /// what earlier runs left, also in the directory in which the resource has none. Blocking.
  [[nodiscard]] Result<void> write(const inventory::Snapshot& snapshot, CurrentPath& current_path);

  /// Removes what earlier runs left, where no write() has done so, and says how many files that
  /// was; a file that stays is an Error. Blocking.
  [[nodiscard]] Result<size_t> remove_old(CurrentPath& current_path);

  /// Whether remove_device_infos() has something to do.
  [[nodiscard]] bool may_have_device_infos() const { return device_infos_.may_have_any(); }
  /// We end: removes all device-info files, as their specification asks for. CDI specs stay:
  /// containers that have units are started again also while we are away. Blocking.
  void remove_device_infos() { device_infos_.remove_all(); }

  /// The resource is offered no more: removes all its files. Blocking.
  void remove_all(const std::string& resource);

 private:
  const UnitFileLocations locations_;
  SpecDirectory cdi_;
  SpecDirectory device_infos_;
};

}  // namespace patchbay::specs
