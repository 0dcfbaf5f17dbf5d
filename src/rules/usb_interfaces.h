#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// Warns of a rule for USB devices that finds their interfaces too: these are devices of the same
/// subsystem, and have no node. `spec` is what the group was compiled from.
void warn_of_usb_interfaces(const config::GroupSpec& spec, const GroupPlan& group,
                            config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
