#pragma once

#include <span>
#include <string>

#include "base/json_text.h"
#include "rules/needs/need.h"

namespace patchbay::cli {

/// A strategic merge patch of the DaemonSet in deploy/patchbay.yaml for these needs; null if a
/// patch is not necessary or not possible.
[[nodiscard]] Json manifest_patch(std::span<const rules::Need> needs);

/// Converts JSON to YAML in the style of the manifest, with a newline at the end.
[[nodiscard]] std::string yaml_of(const Json& json);

}  // namespace patchbay::cli
