#pragma once

#include <cstddef>

#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// The facts that the `when` conditions of a plan need.
[[nodiscard]] NodeQuery node_query(const Plan& plan);

/// Returns the plan without the resources and groups whose `when` does not match the node. They are
/// listed in Plan::excluded. A resource without any remaining group is excluded as a whole. Returns
/// the same plan if nothing is excluded. A `when` with an unknown fact does not match, whatever its
/// other conditions are.
[[nodiscard]] PlanPtr filter_for_node(const PlanPtr& plan, const NodeFacts& facts);

/// The number of the group within its resource as configured, from 1. 0 if the resource has one
/// group only.
[[nodiscard]] size_t configured_group_number(const Plan& plan, size_t resource, size_t group);
[[nodiscard]] size_t configured_group_number(const Plan& plan, const Excluded& left);

}  // namespace patchbay::rules
