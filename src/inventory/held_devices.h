#pragma once

#include <cstddef>
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

/// A unit that a container has, with devices or shares that its name does not offer now.
struct HeldUnit {
  UnitName name;
  size_t shares = 0;  ///< The least MadeUnit::shares with all ids in use; 0: it is not shared.
  std::vector<std::string> devices;  ///< See exclusive_devices().
  std::string holder;                ///< For people: "Pod lab/p".
};

/// The devices that only one unit at a time may have, those without `claim: shared`: the keys of
/// the entities and the numbers of their nodes.
[[nodiscard]] std::vector<std::string> exclusive_devices(const rules::ResourcePlan& resource,
                                                         const UnitMembers& members);

/// Whether a unit with these shares has all ids of the kubelet that one with shares `before` has.
/// If so, the kubelet knows which of them are in use.
[[nodiscard]] bool keeps_ids(size_t shares, size_t before);

/// An index of held units by device. The units must outlive it.
class HeldDevices {
 public:
  explicit HeldDevices(const std::vector<HeldUnit>& held);
  /// Why the unit may not be allocated: a held unit has a device of it, and another name or an id
  /// that the unit lacks. Empty if there is none. `shares`: MadeUnit::shares.
  [[nodiscard]] std::string reason_of(const rules::ResourcePlan& resource,
                                      const UnitMembers& members, const UnitName& name,
                                      size_t shares) const;

 private:
  std::unordered_multimap<std::string_view, const HeldUnit*> by_device_;
};

/// Sets each offered unit to unhealthy that has a device of a held unit, unless it has the same
/// name and keeps its ids. Returns the names of these units.
std::vector<UnitName> withhold(const rules::Plan& plan, const std::vector<MadeUnitsPtr>& offered,
                               const std::vector<HeldUnit>& held, Healths& healths);

}  // namespace patchbay::inventory
