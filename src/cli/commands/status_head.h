#pragma once

#include <string>

#include "base/json_text.h"
#include "cli/commands/status_view.h"

namespace patchbay::cli {

/// The lines of `patchbay status` above the table of resources: the node, its configuration, the
/// kubelet, and their problems. "NODE     worker-1, up 3d, patchbay 0.1.0".
[[nodiscard]] std::string status_head(const Json& status, const StatusLayout& layout);

}  // namespace patchbay::cli
