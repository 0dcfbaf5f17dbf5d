#pragma once

#include <optional>

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// Null if the group could not be made; every mistake is reported, and mistakes in its entries are
/// reported although there is a group.
[[nodiscard]] std::optional<GroupPlan> compile_group(const config::GroupSpec& spec,
                                                     const config::ProbeOptionsSpec& probe_defaults,
                                                     config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
