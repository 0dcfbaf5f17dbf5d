#pragma once

#include "config/diagnostics.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {

/// Reports an environment variable that two groups of the resource join with different separators:
/// Allocate would reject a container with units of both.
void check_env_joins(const ResourcePlan& resource, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
