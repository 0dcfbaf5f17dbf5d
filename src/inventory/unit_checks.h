#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/facts.h"
#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// One probe of a unit, rendered.
struct UnitProbe {
  size_t probe = 0;  ///< Index into GroupPlan::health.
  Check check;
  std::vector<rules::Condition> conditions{};  ///< What must hold of what it reads.
  friend bool operator==(const UnitProbe&, const UnitProbe&) = default;
};

/// A path of the host that a container of the unit needs.
struct NeededPath {
  std::string path;
  bool device_node = false;              ///< It must be one,
  std::optional<DeviceNumber> number{};  ///< and lead to this device of the unit; none: to any.
  bool link = false;                     ///< It is a link that udev made for that device.
  friend auto operator<=>(const NeededPath&, const NeededPath&) = default;
};

/// What tells whether a unit is healthy. It follows from the unit's devices.
struct UnitChecks {
  std::vector<UnitProbe> probes;
  std::vector<NeededPath> paths;  ///< Sorted, without repeats.
  friend bool operator==(const UnitChecks&, const UnitChecks&) = default;
};

/// `given` is what a container with nothing but the unit would get.
[[nodiscard]] Result<UnitChecks> checks_of(const rules::ResourcePlan& resource, const Unit& unit,
                                           const Allocation& given);

/// What to do for the unit before a container starts, in order.
[[nodiscard]] Result<std::vector<Step>> steps_of(const rules::ResourcePlan& resource,
                                                 const Unit& unit);

}  // namespace patchbay::inventory
