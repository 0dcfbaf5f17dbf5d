#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"

/// Builds CDI specs, which say what a device adds to a container. The container runtime reads them
/// at each start of a container (docs/dev/kubelet.md: CDI).
namespace patchbay::specs {

/// Resolves the symbolic links of a host path, because runtimes accept no link as a device node.
/// Returns null if a link is dangling. Blocking; any thread.
using ResolveLinks = std::function<std::optional<std::string>(const std::string&)>;

/// The lowest CDI version with all features that a spec uses. A runtime rejects versions that are
/// newer than its own.
class CdiVersion {
 public:
  void require(int minor) { minor_ = std::max(minor_, minor); }
  [[nodiscard]] std::string text() const { return "0." + std::to_string(minor_) + ".0"; }

 private:
  int minor_ = 3;
};

/// Returns the `containerEdits` of a CDI device with the nodes and mounts of `given`. Empty if
/// `given` has none. Calls `version.require()` for the features that the edits use.
[[nodiscard]] nlohmann::ordered_json edits_json(const inventory::Allocation& given,
                                                const ResolveLinks& resolve, CdiVersion& version);

/// Returns the file name for a resource. All daemons use the same name, so a second daemon
/// overwrites the file. Runtimes would ignore a device that two files define.
[[nodiscard]] std::string cdi_file_name(const std::string& resource);
/// Whether the name has the form of cdi_file_name(), for any resource.
[[nodiscard]] bool is_cdi_file_name(std::string_view name);

/// Returns the spec of a resource. Null if the spec would have no device. The spec has a device for
/// each unit whose devices exist and whose group has `cdi: write`. Unhealthy units are included,
/// because their containers may be restarted.
[[nodiscard]] Result<std::optional<std::string>> cdi_spec(const inventory::Snapshot& snapshot,
                                                          const ResolveLinks& resolve);

}  // namespace patchbay::specs
