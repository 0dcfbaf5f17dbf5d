#pragma once

#include <optional>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Compiles one group of a resource, whose `serve` and `driver` are used. Reports every mistake,
/// also of its entries, and then returns null.
[[nodiscard]] std::optional<GroupPlan> compile_group(const config::GroupSpec& spec,
                                                     const ResourcePlan& resource,
                                                     config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
