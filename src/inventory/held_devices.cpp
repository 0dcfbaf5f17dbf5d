#include "inventory/held_devices.h"

#include <fmt/format.h>

namespace patchbay::inventory {

std::vector<std::string> exclusive_devices(const rules::ResourcePlan& resource,
                                           const UnitMembers& members) {
  std::vector<std::string> devices;
  if (resource.shares_claims) return devices;
  for (const UnitDevice& device : members.devices) {
    if (resource.groups[members.group].shares_claims(device.role)) continue;
    devices.push_back(device.facts->key);
    if (device.facts->number) devices.push_back(text_of(*device.facts->number));
  }
  return devices;
}

bool keeps_ids(size_t shares, size_t before) {
  return before == 0 ? shares == 0 : shares >= before;
}

HeldDevices::HeldDevices(const std::vector<HeldUnit>& held) {
  for (const HeldUnit& unit : held) {
    for (const std::string& device : unit.devices) by_device_.emplace(device, &unit);
  }
}

std::string HeldDevices::reason_of(const rules::ResourcePlan& resource, const UnitMembers& members,
                                   const UnitName& name, size_t shares) const {
  for (const std::string& device : exclusive_devices(resource, members)) {
    const auto [first, last] = by_device_.equal_range(device);
    for (auto at = first; at != last; ++at) {
      const HeldUnit& held = *at->second;
      if (!held.for_all_names && held.name == name && keeps_ids(shares, held.shares)) continue;
      return fmt::format("allocated to {} as '{}' of {}", held.holder, held.name.second,
                         held.name.first);
    }
  }
  return "";
}

std::vector<UnitName> withhold(const rules::Plan& plan, const std::vector<MadeUnitsPtr>& offered,
                               const std::vector<HeldUnit>& held, Healths& healths) {
  std::vector<UnitName> names;
  const HeldDevices devices(held);
  for (size_t resource = 0; resource < offered.size() && !held.empty(); ++resource) {
    const MadeUnits& units = *offered[resource];
    for (size_t unit = 0; unit < units.size(); ++unit) {
      UnitName name(plan.resources[resource]->name, units[unit]->id);
      std::string reason = devices.reason_of(*plan.resources[resource], *units[unit]->members, name,
                                             units[unit]->shares);
      if (reason.empty()) continue;
      healths[resource].resize(units.size());
      Health& health = healths[resource][unit];
      if (!health.healthy) reason += "; " + health.reason;
      health = {.healthy = false, .reason = std::move(reason)};
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace patchbay::inventory
