#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Warns if all units of a group, or all devices of one unit, have the same container path. A
/// container with two of them would be rejected. `match` is the source of the compiled group.
void warn_of_shared_paths(const config::MatchSpec& match, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
