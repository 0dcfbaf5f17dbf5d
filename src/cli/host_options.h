#pragma once

#include "base/result.h"
#include "cli/options.h"
#include "host/host.h"
#include "rules/plan.h"

namespace patchbay::cli {

/// How to look at the host for that plan. An error: --host-root is no directory, or the plan has a
/// rule that looks at devices: those are of /sys and /run/udev, wherever the host's files are.
[[nodiscard]] Result<host::HostOptions> host_options(const HostCommandOptions& options,
                                                     const rules::Plan& plan, bool watch);

}  // namespace patchbay::cli
