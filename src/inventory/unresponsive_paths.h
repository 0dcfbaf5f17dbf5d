#pragma once

#include <span>
#include <vector>

#include "base/facts.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// What of that holds up which resources of the plan, in its order: those with a rule that looks
/// there, as far as that can be told.
[[nodiscard]] std::vector<std::vector<UnresponsivePath>> unresponsive_of(
    const rules::Plan& plan, std::span<const Unanswered> unanswered);

}  // namespace patchbay::inventory
