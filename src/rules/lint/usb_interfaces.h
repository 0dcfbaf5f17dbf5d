#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {

/// Warns about a rule for USB devices that also finds their interfaces: these are devices of the
/// same subsystem and have no node. `spec` is the source of the compiled group.
void warn_of_usb_interfaces(const config::GroupSpec& spec, const GroupPlan& group,
                            config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
