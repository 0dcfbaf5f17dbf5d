#pragma once

#include <span>
#include <string>

#include "base/json_text.h"
#include "rules/need.h"

namespace patchbay::cli {

/// A strategic merge patch for the DaemonSet of deploy/patchbay.yaml that gives what can be given;
/// null if that is nothing.
[[nodiscard]] Json manifest_patch(std::span<const rules::Need> needs);

/// JSON as YAML, in the style of the manifest; with a newline at its end.
[[nodiscard]] std::string yaml_text(const Json& json);

}  // namespace patchbay::cli
