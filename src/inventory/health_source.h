#pragma once

#include <chrono>
#include <vector>

#include "inventory/make_unit.h"
#include "inventory/unit_health.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// How the units are that are offered: by resource, in their order.
using Healths = std::vector<std::vector<Health>>;

/// Says how the units are that are offered. Loop thread.
class HealthSource {
 public:
  virtual ~HealthSource() = default;
  /// `offered` are, by resource of the plan, all units offered from now on. What is known of a unit
  /// that is not among them any more is forgotten.
  [[nodiscard]] virtual Healths rate(const rules::PlanPtr& plan,
                                     const std::vector<MadeUnitsPtr>& offered,
                                     std::chrono::steady_clock::time_point now) = 0;
};

}  // namespace patchbay::inventory
