#pragma once

#include <string>
#include <string_view>

#include "config/daemon_set.h"
#include "rules/needs/need.h"

namespace patchbay::rules {

/// The DaemonSet in deploy/patchbay.yaml. A test compares it with the manifest.
[[nodiscard]] const config::DaemonSet& manifest_daemon_set();

/// Whether the Pods of the DaemonSet meet the need.
[[nodiscard]] bool meets(const config::DaemonSet& daemons, const Need& need);

/// The option of `run` that moves a directory; empty: there is none.
[[nodiscard]] std::string_view option_of(std::string_view directory);
/// The path in the Pod for a path of the host that a need names.
[[nodiscard]] std::string path_in_pod(const config::DaemonSet& daemons, std::string_view path);
/// Whether that path of the Pod is a mount or below one.
[[nodiscard]] bool has_mount(const config::DaemonSet& daemons, std::string_view path,
                             bool to_write);

/// Whether the path is the directory or below it.
[[nodiscard]] bool is_within(std::string_view path, std::string_view directory);

}  // namespace patchbay::rules
