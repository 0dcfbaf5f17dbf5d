#pragma once

#include <map>
#include <string>
#include <vector>

#include "inventory/resolution.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// The groups of a resource with patterns that do not find all matching devices. `cuts`: by
/// pattern, why it does not find all. Pure.
[[nodiscard]] std::vector<Degraded> degraded_of(const rules::ResourcePlan& resource,
                                                const std::map<std::string, std::string>& cuts);

}  // namespace patchbay::inventory
