#pragma once

#include <map>
#include <mutex>
#include <string>

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

  /// Writes the files for the units of the snapshot, and removes those of its resource that are not
  /// for them.
  [[nodiscard]] Result<void> write(const inventory::Snapshot& snapshot);

  /// Removes what earlier runs left, which is all that was not written since; how many files.
  [[nodiscard]] Result<size_t> remove_old();

  /// We end: removes its device-info files, as their specification asks for. Its CDI spec stays:
  /// containers that have units are started again also while we are away.
  void remove_device_infos(const std::string& resource);

  /// The resource is offered no more: removes all its files.
  void remove_all(const std::string& resource);

 private:
  Places places_;
  std::mutex mutex_;
  std::map<std::string, FilePaths> written_;  ///< By resource. Guarded by mutex_.
};

}  // namespace patchbay::specs
