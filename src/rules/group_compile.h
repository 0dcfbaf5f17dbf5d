#pragma once

#include <optional>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Compiles one group. Returns null if this is impossible. Every mistake is reported, also mistakes
/// in entries of a group that is returned.
[[nodiscard]] std::optional<GroupPlan> compile_group(const config::GroupSpec& spec,
                                                     config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
