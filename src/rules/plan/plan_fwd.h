#pragma once

#include <memory>

/// Declares the types of rules/plan/plan.h for headers that need only pointers and references.
namespace patchbay::rules {

struct Excluded;
struct GroupPlan;
struct Plan;
struct ResourcePlan;

using PlanPtr = std::shared_ptr<const Plan>;
using ResourcePlanPtr = std::shared_ptr<const ResourcePlan>;

}  // namespace patchbay::rules
