#pragma once

#include <memory>

/// Names of rules/plan/plan.h, for headers that need only pointers and references to it.
namespace patchbay::rules {

struct Excluded;
struct GroupPlan;
struct Plan;
struct ResourcePlan;

using PlanPtr = std::shared_ptr<const Plan>;
using ResourcePlanPtr = std::shared_ptr<const ResourcePlan>;

}  // namespace patchbay::rules
