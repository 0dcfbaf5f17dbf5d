#pragma once

#include <cstddef>

#include "base/facts.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// What the node conditions of a plan want to know.
[[nodiscard]] NodeQuery node_query(const Plan& plan);

/// The plan without the resources and groups whose `when` does not hold on the node; these are told
/// in Plan::excluded. A resource without any group left is not offered at all. The same plan where
/// nothing is left out. A `when` of which something is unknown does not hold, whatever else it
/// says.
[[nodiscard]] PlanPtr filter_for_node(const PlanPtr& plan, const NodeFacts& facts);

/// Which group of its resource it is as written, from 1; 0 if the resource has one group only.
[[nodiscard]] size_t configured_group_number(const Plan& plan, size_t resource, size_t group);
[[nodiscard]] size_t configured_group_number(const Plan& plan, const Excluded& left);

}  // namespace patchbay::rules
