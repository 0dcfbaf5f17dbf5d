#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "inventory/held_devices.h"
#include "rules/plan/plan_fwd.h"
#include "status/pod_resources_status.h"

namespace patchbay::daemon {

/// Remembers the units whose names no longer offer their devices, until no container has them. So a
/// device is not allocated twice, whatever its resource and id are after an edit. It outlives
/// generations. Loop thread.
class FormerUnits {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// A unit without a known container is forgotten after this time. It exceeds the longest
  /// `settle`: until then the kubelet may allocate the unit from its previous list.
  static constexpr std::chrono::seconds kForgetTime{70};

  /// Takes the offered units, by resource of the plan, and the known assignments.
  void update(const rules::PlanPtr& plan, const std::vector<inventory::MadeUnitsPtr>& offered,
              const status::AssignmentsByResource& assignments, Time now);

  /// Sets the offered units that have a device of a held unit to unhealthy, and logs the first one.
  void withhold(inventory::Healths& healths);

  /// Whether no unit can be held, whatever the assignments are.
  [[nodiscard]] bool empty() const { return former_.empty(); }
  /// The former units that containers have.
  [[nodiscard]] const std::vector<inventory::HeldUnit>& held() const { return held_; }

 private:
  struct Former {
    rules::ResourcePlanPtr resource;
    inventory::MadeUnitPtr unit;
    Time since;  ///< When its name stopped offering its devices.
  };
  /// Whether its name offers its devices. A replug may change the devices, an edit may not.
  [[nodiscard]] bool is_offered(const Former& former) const;

  rules::PlanPtr plan_;
  std::vector<inventory::MadeUnitsPtr> offered_;  ///< By resource of the plan.
  std::map<inventory::UnitName, Former> former_;
  std::vector<inventory::HeldUnit> held_;
  std::vector<inventory::UnitName> withheld_;  ///< The result of the last withhold().
};

}  // namespace patchbay::daemon
