#pragma once

#include <cstddef>

#include "model/facts.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::rules {

/// Returns the facts of the Kubernetes node that the `when` conditions of a plan need.
[[nodiscard]] NodeQuery node_query(const Plan& plan);

/// Returns the plan without the resources and groups whose `when` does not match the node.
/// Plan::excluded lists the removed items. A resource without any remaining group is removed, too.
/// Returns the same plan if nothing is excluded. A `when` with an unknown fact never matches, even
/// if the known facts alone would decide the result.
[[nodiscard]] PlanPtr filter_for_node(const PlanPtr& plan, const NodeFacts& facts);

/// Returns the number of the group in the configuration of its resource, from 1. Returns 0 if the
/// resource has only one group. `left` is an excluded group.
[[nodiscard]] size_t configured_group_number(const Plan& plan, size_t resource, size_t group);
[[nodiscard]] size_t configured_group_number(const Plan& plan, const Excluded& left);

}  // namespace patchbay::rules
