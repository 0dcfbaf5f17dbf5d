#pragma once

#include <span>
#include <vector>

#include "inventory/resolution.h"
#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

/// By resource of the plan, in its order: the sources that delay it. A source delays a resource
/// with a rule that uses it, as far as this is known.
[[nodiscard]] std::vector<std::vector<UnresponsivePath>> unresponsive_of(
    const rules::Plan& plan, std::span<const Unanswered> unanswered);

}  // namespace patchbay::inventory
