#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inventory/make_unit.h"
#include "inventory/unit_health.h"
#include "rules/plan/plan.h"

/// The rule for a device that a container has under another name: no other unit with that device
/// may be allocated. As for claims, a device is an entity, or a device node with its number. Pure.
namespace patchbay::inventory {

using UnitName = std::pair<std::string, std::string>;  ///< Resource and id.

/// A unit that a container has, under a name that does not offer these devices now.
struct HeldUnit {
  UnitName name;
  std::vector<std::string> devices;  ///< See exclusive_devices().
  std::string holder;                ///< For people: "Pod lab/p".
};

/// The devices that only one unit at a time may have, those without `claim: shared`: the keys of
/// the entities and the numbers of their nodes.
[[nodiscard]] std::vector<std::string> exclusive_devices(const rules::ResourcePlan& resource,
                                                         const UnitMembers& members);

/// An index of held units by device. The units must outlive it.
class HeldDevices {
 public:
  explicit HeldDevices(const std::vector<HeldUnit>& held);
  /// Why the unit may not be allocated: a held unit with another name has a device of it. Empty if
  /// there is none.
  [[nodiscard]] std::string reason_of(const rules::ResourcePlan& resource,
                                      const UnitMembers& members, const UnitName& name) const;

 private:
  std::unordered_multimap<std::string_view, const HeldUnit*> by_device_;
};

/// Sets each offered unit to unhealthy that has a device of a held unit with another name. Returns
/// the names of these units.
std::vector<UnitName> withhold(const rules::Plan& plan, const std::vector<MadeUnitsPtr>& offered,
                               const std::vector<HeldUnit>& held, Healths& healths);

}  // namespace patchbay::inventory
