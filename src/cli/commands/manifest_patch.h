#pragma once

#include <span>
#include <string>

#include "base/json_text.h"
#include "config/daemon_set.h"
#include "rules/needs/need.h"

namespace patchbay::cli {

/// Returns a strategic merge patch that gives a DaemonSet the mounts and privileges in `needs`. The
/// patch is for the first of `daemons`. If `daemons` is empty, it is for the DaemonSet of
/// deploy/patchbay.yaml. Returns a JSON null if a patch is not necessary or not possible.
[[nodiscard]] Json manifest_patch(std::span<const rules::Need> needs,
                                  std::span<const config::DaemonSet> daemons);

/// Converts JSON to YAML in the style of deploy/patchbay.yaml, with a newline at the end.
[[nodiscard]] std::string yaml_of(const Json& json);

}  // namespace patchbay::cli
