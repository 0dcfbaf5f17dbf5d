#pragma once

#include <vector>

#include "inventory/resolution.h"
#include "paths/host_root.h"
#include "rules/plan/plan_fwd.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Returns an entry for each group without units and without refusals. Reads the host again, but
/// only if such a group exists. Blocks: call it on a work thread or in a command. `root` is
/// prefixed to paths.
[[nodiscard]] std::vector<status::UnmatchedGroup> find_unmatched_groups(
    const rules::Plan& plan, const inventory::Resolution& resolution, const paths::HostRoot& root);

}  // namespace patchbay::daemon
