#pragma once

#include <string>
#include <string_view>

#include "config/daemon_set.h"
#include "rules/needs/need.h"

namespace patchbay::rules {

/// Returns the values of the DaemonSet in deploy/patchbay.yaml. A test compares them with that
/// file.
[[nodiscard]] const config::DaemonSet& manifest_daemon_set();

/// Whether the Pods of the DaemonSet meet the need.
[[nodiscard]] bool meets(const config::DaemonSet& daemons, const Need& need);

/// Returns the option of `patchbay run` that sets another path for this directory. Empty if there
/// is no such option.
[[nodiscard]] std::string_view option_of(std::string_view directory);
/// Returns the path at which the daemon in the Pod accesses this path of the host.
[[nodiscard]] std::string path_in_pod(const config::DaemonSet& daemons, std::string_view path);
/// Whether a path in the Pod is a mount, or below a mount. With `to_write`, the mount must be
/// writable.
[[nodiscard]] bool has_mount(const config::DaemonSet& daemons, std::string_view path,
                             bool to_write);

/// Whether `path` is `directory`, or below `directory`.
[[nodiscard]] bool is_within(std::string_view path, std::string_view directory);

}  // namespace patchbay::rules
