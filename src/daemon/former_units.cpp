#include "daemon/former_units.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "inventory/id_assigner.h"
#include "inventory/list_changes.h"

namespace patchbay::daemon {
namespace {

using inventory::MadeUnitPtr;

/// A Pod that has the unit, for people; empty: none is known.
std::string holder_of(const status::ResourceAssignments& devices, const inventory::MadeUnit& unit) {
  std::string holder;
  for (auto at = devices.lower_bound(unit.id); at != devices.end(); ++at) {
    const auto& [id, device] = *at;
    if (!id.starts_with(unit.id)) break;
    const auto share = inventory::split_share_id(id);
    if (unit.shares == 0 ? id != unit.id : !share || share->unit != unit.id) continue;
    if (!device.assignments.empty()) {
      const status::Container& container = *device.assignments.front().container;
      return fmt::format("Pod {}/{}", printable(container.pod_namespace), printable(container.pod));
    }
    holder = "a Pod";  // It was allocated, and the kubelet has not reported the Pod.
  }
  return holder;
}

}  // namespace

bool FormerUnits::is_offered(const Former& former) const {
  const auto at =
      std::ranges::find(plan_->resources, former.resource->name, &rules::ResourcePlan::name);
  if (at == plan_->resources.end()) return false;
  const auto& units = *offered_[static_cast<size_t>(at - plan_->resources.begin())];
  const auto same = inventory::find_by_id(units, former.unit->id);
  return same != units.end() &&
         (*at == former.resource ||
          inventory::exclusive_devices(**at, *(*same)->members) ==
              inventory::exclusive_devices(*former.resource, *former.unit->members));
}

void FormerUnits::update(const rules::PlanPtr& plan,
                         const std::vector<inventory::MadeUnitsPtr>& offered,
                         const status::AssignmentsByResource& assignments, Time now) {
  const auto plan_before = std::exchange(plan_, plan);
  const auto before = std::exchange(offered_, offered);
  for (size_t resource = 0; resource < before.size(); ++resource) {
    std::span<const MadeUnitPtr> units(*before[resource]);
    if (plan_before == plan) {
      const auto common = inventory::common_prefix_suffix<MadeUnitPtr>(units, *offered[resource]);
      units = units.subspan(common.prefix, units.size() - common.prefix - common.suffix);
    }
    for (const MadeUnitPtr& unit : units) {
      const Former former{plan_before->resources[resource], unit, now};
      if (!is_offered(former)) former_.try_emplace({former.resource->name, unit->id}, former);
    }
  }
  held_.clear();
  std::erase_if(former_, [&](const auto& entry) {
    const auto& [name, former] = entry;
    if (is_offered(former)) return true;
    const auto devices = assignments.find(name.first);
    std::string holder =
        devices == assignments.end() ? "" : holder_of(devices->second, *former.unit);
    if (holder.empty()) return now - former.since > kForgetTime;
    held_.push_back(
        {.name = name,
         .devices = inventory::exclusive_devices(*former.resource, *former.unit->members),
         .holder = std::move(holder)});
    return false;
  });
}

void FormerUnits::withhold(inventory::Healths& healths) {
  auto names = inventory::withhold(*plan_, offered_, held_, healths);
  const auto is_new = [&](const auto& name) {
    return std::ranges::find(withheld_, name) == withheld_.end();
  };
  if (const auto first = std::ranges::find_if(names, is_new); first != names.end()) {
    log::info(
        {"unit is withheld: a Pod has its device under another name", log::EventKind::unhealthy},
        {{"resource", first->first},
         {"unit", first->second},
         {"count", std::to_string(names.size())}});
  }
  withheld_ = std::move(names);
}

}  // namespace patchbay::daemon
