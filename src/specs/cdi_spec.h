#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "inventory/snapshot.h"
#include "specs/cdi_edits.h"

/// CDI specs describe the edits that a device makes to a container. The container runtime reads
/// them again at each start of a container (docs/dev/kubelet.md: CDI).
namespace patchbay::specs {

/// Returns the file name for a resource. It never changes, so a second daemon overwrites the file:
/// runtimes ignore a device that two files define.
[[nodiscard]] std::string cdi_file_name(const std::string& resource);
/// Whether the file has a name of this form, of any resource. All of them have a '_'.
[[nodiscard]] bool is_cdi_file_name(std::string_view name);

/// Returns the spec of a resource with `cdi: write`; empty if it has no device. The spec has a
/// device for each unit with Injection::spec whose devices exist. Unhealthy units are included,
/// because their containers may be restarted.
[[nodiscard]] Result<std::optional<std::string>> cdi_spec(const inventory::Snapshot& snapshot,
                                                          const ResolveLinks& resolve);

}  // namespace patchbay::specs
