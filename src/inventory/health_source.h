#pragma once

#include <chrono>
#include <vector>

#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// Says how the units are that are offered. Loop thread.
class HealthSource {
 public:
  virtual ~HealthSource() = default;
  /// `offered` are, by resource of the plan, all units offered from now on, healthy so far: sets
  /// `healthy` and `reason` of each. What is known of a unit that is not among them any more is
  /// forgotten.
  virtual void rate(const rules::PlanPtr& plan, std::vector<std::vector<Unit>>& offered,
                    std::chrono::steady_clock::time_point now) = 0;
};

}  // namespace patchbay::inventory
