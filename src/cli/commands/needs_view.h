#pragma once

#include <span>
#include <string>

#include "base/json_text.h"
#include "config/daemon_set.h"
#include "rules/needs/need.h"

namespace patchbay::cli {

/// The needs of a configuration beyond these DaemonSets, by kind, and the patch for the first one;
/// empty if there are none. Without a DaemonSet, it is that of deploy/patchbay.yaml.
[[nodiscard]] std::string needs_text(std::span<const rules::Need> needs,
                                     std::span<const config::DaemonSet> daemons);

/// The needs as a list, without the patch.
[[nodiscard]] Json needs_json(std::span<const rules::Need> needs);

}  // namespace patchbay::cli
