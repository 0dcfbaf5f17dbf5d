#pragma once

#include <vector>

#include "rules/needs/need.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// The requirements of a configuration beyond the Pod of deploy/patchbay.yaml, as far as its text
/// shows them. Sorted by kind, then in the order of the configuration. The needs of programs and
/// the number of devices of a node are not known. Pure.
[[nodiscard]] std::vector<Need> needs(const Plan& plan);

}  // namespace patchbay::rules
