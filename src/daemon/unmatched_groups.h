#pragma once

#include <vector>

#include "host/host_root.h"
#include "inventory/resolution.h"
#include "observe/unmatched_group.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// Returns an entry for each group without units and without refusals. Reads the host again, but
/// only if such a group exists. Blocks: call it on a work thread or in a command. `root` is
/// prefixed to paths.
[[nodiscard]] std::vector<observe::UnmatchedGroup> find_unmatched_groups(
    const rules::Plan& plan, const inventory::Resolution& resolution, const host::HostRoot& root);

}  // namespace patchbay::daemon
