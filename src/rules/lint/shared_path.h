#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan_fwd.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Whether the value differs for each device. `read`: also for text of a vendor or driver, which
/// leads to a node of the device, but not always to another directory.
[[nodiscard]] bool differs_per_device(const VariableRef& ref, bool read);

/// Warns if all units of a group, or all devices of one unit, have the same container path. A
/// container with two of them would be rejected. `match` is the source of the compiled group.
void warn_of_shared_paths(const config::MatchSpec& match, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
