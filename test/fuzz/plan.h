#pragma once

#include "rules/plan/plan.h"

namespace patchbay::fuzz {

/// Resources that use the values of devices wherever a configuration allows it.
[[nodiscard]] const rules::PlanPtr& hostile_plan();

}  // namespace patchbay::fuzz
