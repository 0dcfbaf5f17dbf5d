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

/// Remembers the units whose names no longer offer their devices, until no container has them. So a
/// device is not allocated twice, whatever its resource, id and shares are after an edit, or its
/// number is after a replug. It outlives generations. Loop thread.
class FormerUnits {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// A unit without a known container is forgotten after this time. Before that, the kubelet may
  /// allocate the unit from its previous list. A later container has what the name offers now.
  static constexpr std::chrono::seconds kForgetTime{70};

  /// Takes the offered units, by resource of the plan, and the assignments. Null: they are unknown,
  /// and no unit is forgotten.
  void update(const rules::PlanPtr& plan, const std::vector<inventory::MadeUnitsPtr>& offered,
              const status::AssignmentsByResource* assignments, Time now);

  /// Sets the offered units that have a device of a held unit to unhealthy, and logs the new ones.
  void withhold(inventory::Healths& healths);

  /// Whether no unit can be held, whatever the assignments are.
  [[nodiscard]] bool empty() const { return former_.empty(); }
  /// The resources whose assignments are needed.
  [[nodiscard]] std::set<std::string, std::less<>> resources() const;
  /// The former units that containers have.
  [[nodiscard]] const std::vector<inventory::HeldUnit>& held() const { return held_; }

 private:
  /// A unit with the devices and shares that it had.
  struct Key {
    inventory::UnitName name;
    size_t shares;
    std::vector<std::string> devices;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Former {
    Time since;                                ///< When its name stopped offering its devices.
    std::set<status::Container> containers{};  ///< Those that have it.
  };
  /// Whether its name offers its devices, with all its ids.
  [[nodiscard]] bool is_offered(const Key& key) const;
  /// Whether the unit can be forgotten; otherwise it is added to held_ if a container has it.
  [[nodiscard]] bool is_over(const Key& key, Former& former,
                             const status::AssignmentsByResource* assignments, Time now);
  /// Updates the containers. Without a `holder` there is none.
  [[nodiscard]] static inventory::HeldUnit find_holders(
      const status::AssignmentsByResource& assignments, const Key& key, Former& former);

  rules::PlanPtr plan_;
  std::vector<inventory::MadeUnitsPtr> offered_;  ///< By resource of the plan.
  std::map<Key, Former> former_;
  std::vector<inventory::HeldUnit> held_;
  std::set<inventory::UnitName> withheld_;  ///< The result of the last withhold().
};

}  // namespace patchbay::daemon
