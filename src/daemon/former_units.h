#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inventory/held_devices.h"
#include "rules/plan/plan_fwd.h"
#include "status/pod_resources_status.h"

namespace patchbay::daemon {

/// Prevents that a device is allocated to two containers after an edit or a replug. A former unit
/// is a unit of an earlier list. The current list offers other devices under its name, or lacks the
/// name, but a container may still have the devices of the former unit. While a container has these
/// devices, other units with one of them are unhealthy. This class outlives generations. Loop
/// thread.
class FormerUnits {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// A former unit that no known container has is forgotten after this time. Until then, the
  /// kubelet may still allocate the former unit from a previous list. A container that gets the
  /// same id later has the devices of the current list.
  static constexpr std::chrono::seconds kForgetTime{70};

  /// Takes the offered units of each resource, in the order of the plan, and the devices of the
  /// Pods. `assignments` is null if the devices of the Pods are unknown. Then kForgetTime does not
  /// begin.
  void update(const rules::PlanPtr& plan, const std::vector<inventory::MadeUnitsPtr>& offered,
              const status::AssignmentsByResource* assignments, Time now);

  /// Marks an offered unit as unhealthy if one of its devices belongs to a unit of held() or of
  /// `claimed`, the units of ResourceClaims. Logs each such unit once.
  void withhold(inventory::Healths& healths, std::vector<inventory::HeldUnit> claimed = {});

  /// Whether there is no former unit.
  [[nodiscard]] bool empty() const { return former_.empty(); }
  /// The names of the former units' resources.
  [[nodiscard]] std::set<std::string, std::less<>> resources() const;
  /// The former units that a container has.
  [[nodiscard]] const std::vector<inventory::HeldUnit>& held() const { return held_; }

 private:
  /// Identifies a former unit by its name and the devices and shares that it had.
  struct Key {
    inventory::UnitName name;
    size_t shares;
    std::vector<std::string> devices;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Former {
    Time since;                                ///< When the list stopped offering its devices.
    std::set<status::Container> containers{};  ///< The known containers that have the unit.
  };
  /// Whether a unit of the current list has the same name and devices, and at least the same ids.
  [[nodiscard]] bool is_offered(const Key& key) const;
  /// Whether the unit can be forgotten. Otherwise, adds it to held_ if a container has it.
  [[nodiscard]] bool is_over(const Key& key, Former& former,
                             const status::AssignmentsByResource* assignments, Time now);
  /// Updates `former.containers`. The result has an empty `holder` if no container has the unit.
  [[nodiscard]] static inventory::HeldUnit find_holders(
      const status::AssignmentsByResource& assignments, const Key& key, Former& former);

  rules::PlanPtr plan_;
  std::vector<inventory::MadeUnitsPtr> offered_;  ///< By resource of the plan.
  std::map<Key, Former> former_;
  std::vector<inventory::HeldUnit> held_;
  std::set<inventory::UnitName> withheld_;  ///< The units that the last withhold() changed.
};

}  // namespace patchbay::daemon
