#include "observe/unit_holders.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace patchbay::observe {
namespace {

/// Of which unit the device is, or was.
std::string_view unit_of(const std::string& device, const inventory::Snapshot* snapshot) {
  if (snapshot != nullptr) {
    if (const auto listed = snapshot->find_listed(device)) return listed->unit->id;
  }
  const auto part = inventory::split_share_id(device);
  return part ? part->unit : std::string_view(device);
}

void add_holder(std::vector<Holder>& holders, const Holder& holder) {
  const auto at = std::ranges::lower_bound(
      holders, *holder.container, {},
      [](const Holder& known) -> const Container& { return *known.container; });
  if (at != holders.end() && *at->container == *holder.container) {
    at->since = std::min(at->since, holder.since);
  } else {
    holders.insert(at, holder);
  }
}

const inventory::Snapshot* snapshot_of(const NodeStatus& status, const std::string& resource) {
  const auto found = std::ranges::find_if(
      status.resources, [&](const ResourceStatus& its) { return its.resolved.name() == resource; });
  return found == status.resources.end() ? nullptr : found->resolved.snapshot.get();
}

}  // namespace

HoldersByUnit holders_by_unit(const HeldOfResource& devices, const inventory::Snapshot* snapshot) {
  HoldersByUnit units;
  for (const auto& [id, device] : devices) {
    HeldDevice& unit = units[std::string(unit_of(id, snapshot))];
    for (const Holder& holder : device.holders) add_holder(unit.holders, holder);
    unit.allocated = std::max(unit.allocated, device.allocated);
  }
  return units;
}

HoldersByUnit holders_of(const NodeStatus& status, const std::string& resource) {
  if (!status.holders) return {};
  const auto devices = status.holders->devices->find(resource);
  if (devices == status.holders->devices->end()) return {};
  return holders_by_unit(devices->second, snapshot_of(status, resource));
}

bool knows_holders(const NodeStatus& status) { return status.holders && status.holders->answered; }

size_t held_units(const NodeStatus& status, const std::string& resource) {
  const inventory::Snapshot* const snapshot = snapshot_of(status, resource);
  if (snapshot == nullptr) return 0;
  return static_cast<size_t>(
      std::ranges::count_if(holders_of(status, resource), [&](const auto& unit) {
        return !unit.second.holders.empty() && snapshot->find(unit.first) != nullptr;
      }));
}

std::vector<GoneUnit> gone_units(const NodeStatus& status) {
  std::vector<GoneUnit> gone;
  if (!status.holders) return gone;
  for (const auto& [resource, devices] : *status.holders->devices) {
    const inventory::Snapshot* const snapshot = snapshot_of(status, resource);
    for (auto& [unit, held] : holders_by_unit(devices, snapshot)) {
      if (held.holders.empty() || (snapshot != nullptr && snapshot->find(unit) != nullptr))
        continue;
      if (gone.size() == kMostGoneUnits) return gone;
      gone.push_back({.resource = resource, .unit = unit, .holders = held.holders});
    }
  }
  return gone;
}

}  // namespace patchbay::observe
