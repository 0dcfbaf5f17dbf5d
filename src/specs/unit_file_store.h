#pragma once

#include <string>
#include <vector>

#include "base/current_path.h"
#include "base/result.h"
#include "inventory/snapshot.h"
#include "paths/host_root.h"
#include "specs/spec_directory.h"

namespace patchbay::specs {

struct UnitFileLocations {
  std::string cdi_directory;
  std::string device_info_directory;
  paths::HostRoot root{};
};

/// Whether the resource has files for other programs: CDI specs or device-info files.
[[nodiscard]] bool has_unit_files(const rules::ResourcePlan& resource);

/// Writes and removes the files about units that other programs read: CDI specs and device-info
/// files of all resources. Any thread. Functions marked as Blocking fail if another thread hangs in
/// the directory. While a call blocks, `current_path` has the path in use.
class UnitFileStore {
 public:
  explicit UnitFileStore(UnitFileLocations locations);

  /// Takes the first lists of all resources. Call it before any write(). Files of an earlier run
  /// for units in these lists stay until their resource is written. The reason is that containers
  /// with these units may be restarted at any time. For an incomplete list, all files of its
  /// resource stay.
  void expect(const std::vector<inventory::SnapshotPtr>& lists);

  /// Records that no other instance runs. Another instance could own files of other resources.
  void set_sole_writer();

  /// Writes the files for the units of the snapshot, and removes other files of its resource if the
  /// snapshot is complete. After set_sole_writer(), the first call also removes stale files of
  /// earlier runs from both directories. Blocking.
  [[nodiscard]] Result<void> write(const inventory::Snapshot& snapshot, CurrentPath& current_path);

  /// Removes stale files of earlier runs, unless this has been done, and returns the number of
  /// removed files. An Error names a file that cannot be removed. Blocking.
  [[nodiscard]] Result<size_t> remove_old(CurrentPath& current_path);

  /// Whether remove_device_infos() has files to remove.
  [[nodiscard]] bool may_have_device_infos() const { return device_infos_.may_have_any(); }
  /// Removes all device-info files when the daemon ends, as their specification requires. CDI specs
  /// stay, because containers may be restarted while no daemon runs. Blocking.
  void remove_device_infos() { device_infos_.remove_all(); }

  /// Removes all files of a withdrawn resource. Blocking.
  void remove_all(const std::string& resource);

 private:
  const UnitFileLocations locations_;
  SpecDirectory cdi_;
  SpecDirectory device_infos_;
};

}  // namespace patchbay::specs
