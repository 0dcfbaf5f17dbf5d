#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"

/// CDI specs: what a container runtime reads, anew at every start of a container, of what a device
/// brings along (kubelet contract 8).
namespace patchbay::specs {

/// The name of the file for a resource, the same at every time: a second daemon overwrites it
/// rather than to make a device known twice, which runtimes take for none.
[[nodiscard]] std::string cdi_file_name(const std::string& resource);
/// A name that only we give.
[[nodiscard]] bool is_cdi_file_name(std::string_view name);

/// How the host's paths are seen. Blocking; any thread.
struct HostPaths {
  inventory::PathExists exists;
  /// Where links lead; null: nowhere. Runtimes take no link for a device node.
  std::function<std::optional<std::string>(const std::string&)> resolve;
};

/// The spec of a resource with `cdi: write`: a device for each unit whose devices are there, also
/// for an unhealthy one, since a container that has it may be started again. Null if there is none.
/// Of the version that its fields need, since runtimes refuse what is newer than they are.
[[nodiscard]] Result<std::optional<std::string>> cdi_spec(const inventory::Snapshot& snapshot,
                                                          const HostPaths& host);

}  // namespace patchbay::specs
