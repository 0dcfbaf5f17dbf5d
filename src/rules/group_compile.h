#pragma once

#include <optional>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Compiles one group with its entries. Reports every mistake. Returns null after a mistake.
[[nodiscard]] std::optional<GroupPlan> compile_group(const config::GroupSpec& spec,
                                                     config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
