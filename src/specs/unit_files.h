#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "host/host_root.h"
#include "inventory/snapshot.h"
#include "specs/spec_files.h"

/// The files that others read of units. Blocking; any thread.
namespace patchbay::specs {

struct Places {
  std::string cdi_directory;
  std::string device_info_directory;
  host::HostRoot root{};
};

/// Whether the resource has such files at all.
[[nodiscard]] bool has_unit_files(const rules::ResourcePlan& resource);

/// Writes the files for the units of the snapshot, and removes those of `written` that are not for
/// them. `written` is then what is there, also where it fails half-way.
[[nodiscard]] Result<void> write_unit_files(const Places& places,
                                            const inventory::Snapshot& snapshot,
                                            FilePaths& written);

/// Removes what earlier runs left, but for `keep`; how many files.
[[nodiscard]] Result<size_t> remove_old_unit_files(const Places& places, const FilePaths& keep);

/// Removes, at our end, the device-info files, as their specification asks for. CDI specs stay:
/// containers that have units are started again also while we are away.
void remove_device_infos(const Places& places, const FilePaths& written);

}  // namespace patchbay::specs
