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

/// Prevents a second allocation of a device that a container has under a former unit name. While a
/// container has a unit, the devices of this unit can become part of another unit, for instance
/// after a reload. As for claims, all device nodes with the same number are one device. Pure.
namespace patchbay::inventory {

/// A unit that a container got earlier and still has, or a unit of a ResourceClaim. After a reload,
/// the current unit with the same name can lack devices or shares of the held unit, or not exist.
struct HeldUnit {
  UnitName name;
  size_t shares = 0;  ///< The least number of shares that includes all ids in use; 0 if not shared.
  std::vector<std::string> devices;  ///< See exclusive_devices().
  std::string holder;                ///< The container, for messages: "Pod lab/p".
  bool for_all_names = false;        ///< No unit may have the devices, also not that of this name.
};

/// Returns the devices of the unit that no other unit may have. Devices that are used with `claim:
/// shared` are omitted. Each device is given by its key, and by the number of its device node as
/// text.
[[nodiscard]] std::vector<std::string> exclusive_devices(const rules::ResourcePlan& resource,
                                                         const UnitMembers& members);

/// Whether a unit with `shares` shares has all device ids that a unit with `before` shares has. 0
/// means not shared. If the result is true, the kubelet knows which of the ids are in use.
[[nodiscard]] bool keeps_ids(size_t shares, size_t before);

/// An index of held units by device. The units must outlive it.
class HeldDevices {
 public:
  explicit HeldDevices(const std::vector<HeldUnit>& held);
  /// If a held unit has one of the unit's devices, returns why the unit must not be allocated.
  /// Ignores a held unit with the same name whose ids are kept (keeps_ids()), except with
  /// HeldUnit::for_all_names. Returns an empty text
  /// if the unit may be allocated. `shares`: MadeUnit::shares.
  [[nodiscard]] std::string reason_of(const rules::ResourcePlan& resource,
                                      const UnitMembers& members, const UnitName& name,
                                      size_t shares) const;

 private:
  std::unordered_multimap<std::string_view, const HeldUnit*> by_device_;
};

/// Marks each offered unit as unhealthy if HeldDevices has a reason for it. Returns the names of
/// these units.
std::vector<UnitName> withhold(const rules::Plan& plan, const std::vector<MadeUnitsPtr>& offered,
                               const std::vector<HeldUnit>& held, Healths& healths);

}  // namespace patchbay::inventory
