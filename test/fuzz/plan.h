#pragma once

#include "rules/plan.h"

namespace patchbay::fuzz {

/// Resources that use the values of devices in every place that a configuration has for them.
[[nodiscard]] const rules::PlanPtr& hostile_plan();

}  // namespace patchbay::fuzz
