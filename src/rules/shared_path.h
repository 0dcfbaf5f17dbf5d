#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// Whether the value is another one for each device. `read`: of what a vendor or a driver wrote,
/// which leads to a node of the device, but not always to another directory.
[[nodiscard]] bool differs_per_device(const VariableRef& ref, bool read);

/// Warns where the units of a group, or the devices of one unit, are all to stand at one container
/// path: a container that gets two of them is refused. `match` is what the group was made of.
void warn_of_shared_paths(const config::MatchSpec& match, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
