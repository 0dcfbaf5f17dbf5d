#pragma once

#include <vector>

#include "rules/need.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// What the configuration asks beyond what deploy/patchbay.yaml gives, as far as it can be known
/// from its text: by kind, then in the order of the configuration. What programs need, and how many
/// devices a node will have, it does not tell. Pure.
[[nodiscard]] std::vector<Need> needs(const Plan& plan);

}  // namespace patchbay::rules
