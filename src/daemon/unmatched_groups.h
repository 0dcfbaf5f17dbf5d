#pragma once

#include <vector>

#include "host/host_root.h"
#include "inventory/resolution.h"
#include "observe/unmatched_group.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// One for each group of the resources that have neither a unit nor a refusal. Reads the host
/// again, but only if there is such a group. Blocks: on a work thread, or in a command. `root` is
/// prefixed to paths.
[[nodiscard]] std::vector<observe::UnmatchedGroup> find_unmatched_groups(
    const rules::Plan& plan, const inventory::Resolution& resolution, const host::HostRoot& root);

}  // namespace patchbay::daemon
