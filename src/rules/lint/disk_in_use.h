#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {

/// Warns about a group that gives containers write access to disks or partitions without a
/// condition on their content. Such a rule also finds disks that are in use. `spec` is the source
/// of the compiled group. A rule that lists its disks one by one gets no warning.
void warn_of_disks_in_use(const config::GroupSpec& spec, const GroupPlan& group,
                          config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
