#pragma once

#include <span>
#include <string>

#include "base/json_text.h"
#include "config/daemon_set.h"
#include "rules/needs/need.h"

namespace patchbay::cli {

/// A strategic merge patch of a DaemonSet for these needs; null if a patch is not necessary or not
/// possible. Without a DaemonSet, it is for that of deploy/patchbay.yaml; else for the first one.
[[nodiscard]] Json manifest_patch(std::span<const rules::Need> needs,
                                  std::span<const config::DaemonSet> daemons);

/// Converts JSON to YAML in the style of the manifest, with a newline at the end.
[[nodiscard]] std::string yaml_of(const Json& json);

}  // namespace patchbay::cli
