#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "model/check.h"
#include "model/facts.h"
#include "rules/plan/plan.h"

namespace patchbay::inventory {

/// One probe of a unit, with its templates rendered.
struct UnitProbe {
  size_t probe = 0;  ///< Index into GroupPlan::health.
  Check check;
  std::vector<rules::Condition> conditions{};  ///< Conditions on the values that the check reads.
  friend bool operator==(const UnitProbe&, const UnitProbe&) = default;
};

/// A path of the host that a container of the unit needs.
struct NeededPath {
  std::string path;
  bool device_node = false;              ///< The path must be a device node.
  std::optional<DeviceNumber> number{};  ///< Required number; null if any number is accepted.
  bool link = false;                     ///< The path is a link that udev made for that device.
  friend auto operator<=>(const NeededPath&, const NeededPath&) = default;
};

/// The probes and paths that decide whether a unit is healthy. They depend only on the unit's
/// devices.
struct UnitChecks {
  std::vector<UnitProbe> probes;
  std::vector<NeededPath> paths;  ///< Sorted, without duplicates.
  friend bool operator==(const UnitChecks&, const UnitChecks&) = default;
};

/// Makes the checks of a unit. `given`: what a container with only this unit would get.
[[nodiscard]] Result<UnitChecks> checks_of(const rules::ResourcePlan& resource, const Unit& unit,
                                           const Allocation& given);

/// Renders one of the unit's lists of steps, in order.
[[nodiscard]] Result<std::vector<Step>> steps_of(const rules::ResourcePlan& resource,
                                                 const Unit& unit, rules::StepList list);

using StepsByUnit = std::map<UnitName, std::vector<Step>>;
/// Renders the steps of `preStart` of the units with these device ids of the kubelet. Omits units
/// without steps.
[[nodiscard]] Result<StepsByUnit> steps_of(const Snapshot& snapshot,
                                           std::span<const std::string> ids);

}  // namespace patchbay::inventory
