#pragma once

#include "config/diagnostics.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// Reports an environment variable that two groups of the resource join in different ways: a
/// container that gets units of both would be refused.
void check_env_joins(const ResourcePlan& resource, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
