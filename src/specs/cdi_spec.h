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

/// CDI specs describe the edits that a device makes to a container. The container runtime reads
/// them again at each start of a container (docs/dev/kubelet.md: CDI).
namespace patchbay::specs {

/// Resolves the symbolic links of a host path; empty: dangling. Runtimes do not accept a link as a
/// device node. Blocking; any thread.
using ResolveLinks = std::function<std::optional<std::string>(const std::string&)>;

/// The lowest CDI version with all features used, as "0.MINOR.0". Runtimes reject versions newer
/// than they know.
class CdiVersion {
 public:
  void require(int minor) { minor_ = std::max(minor_, minor); }
  [[nodiscard]] std::string text() const { return "0." + std::to_string(minor_) + ".0"; }

 private:
  int minor_ = 3;
};

/// Returns the `containerEdits` of a CDI device with these nodes and mounts; empty if there are
/// none. Requires of `version` what the edits use.
[[nodiscard]] nlohmann::ordered_json edits_json(const inventory::Allocation& given,
                                                const ResolveLinks& resolve, CdiVersion& version);

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
