#pragma once

#include <optional>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Compiles one group. Reports every mistake, also of its entries, and then returns null.
[[nodiscard]] std::optional<GroupPlan> compile_group(const config::GroupSpec& spec,
                                                     config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
