#pragma once

#include <vector>

#include "inventory/resolution.h"
#include "paths/host_root.h"
#include "rules/plan/plan_fwd.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Explains why resources have no units. For each group of an empty resource, returns the device
/// that comes nearest to the match of the group. A resource is empty if it has no units, refusals
/// or unresponsive paths. If a resource is empty, reads the devices of the host below `root`.
/// Blocks.
[[nodiscard]] std::vector<status::UnmatchedGroup> find_unmatched_groups(
    const rules::Plan& plan, const inventory::Resolution& resolution, const paths::HostRoot& root);

}  // namespace patchbay::daemon
