#include "daemon/former_units.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "daemon/log_batches.h"
#include "inventory/id_assigner.h"
#include "inventory/list_changes.h"

namespace patchbay::daemon {

using inventory::MadeUnitPtr;

inventory::HeldUnit FormerUnits::find_holders(const status::AssignmentsByResource& assignments,
                                              const Key& key, Former& former) {
  inventory::HeldUnit held{.name = key.name, .devices = key.devices, .holder = ""};
  const auto before = std::exchange(former.containers, {});
  const auto devices = assignments.find(key.name.first);
  if (devices == assignments.end()) return held;
  const std::string& unit = key.name.second;
  const Time last = former.since + kForgetTime;
  for (auto at = devices->second.lower_bound(unit); at != devices->second.end(); ++at) {
    const auto& [id, device] = *at;
    if (!id.starts_with(unit)) break;
    const auto share = inventory::split_share_id(id);
    if (key.shares == 0 ? id != unit : !share || share->unit != unit) continue;
    // Without a container: the kubelet has not reported it.
    bool in_use = device.assignments.empty() && device.allocated && *device.allocated <= last;
    for (const auto& [container, since] : device.assignments) {
      if (since > last && !before.contains(*container)) continue;
      former.containers.insert(*container);
      in_use = true;
    }
    if (!in_use) continue;
    held.holder = "a Pod";
    if (key.shares > 0) held.shares = std::max(held.shares, share->share + 1);
  }
  if (former.containers.empty()) return held;
  const status::Container& first = *former.containers.begin();
  held.holder = fmt::format("Pod {}/{}", printable(first.pod_namespace), printable(first.pod));
  return held;
}

bool FormerUnits::is_offered(const Key& key) const {
  const auto at = std::ranges::find(plan_->resources, key.name.first, &rules::ResourcePlan::name);
  if (at == plan_->resources.end()) return false;
  const auto& units = *offered_[static_cast<size_t>(at - plan_->resources.begin())];
  const auto same = inventory::find_by_id(units, key.name.second);
  return same != units.end() && inventory::keeps_ids((*same)->shares, key.shares) &&
         inventory::exclusive_devices(**at, *(*same)->members) == key.devices;
}

void FormerUnits::update(const rules::PlanPtr& plan,
                         const std::vector<inventory::MadeUnitsPtr>& offered,
                         const status::AssignmentsByResource* assignments, Time now) {
  const auto plan_before = std::exchange(plan_, plan);
  const auto before = std::exchange(offered_, offered);
  for (size_t i = 0; i < before.size(); ++i) {
    std::span<const MadeUnitPtr> units(*before[i]);
    if (plan_before == plan) {
      const auto common = inventory::common_prefix_suffix<MadeUnitPtr>(units, *offered[i]);
      units = units.subspan(common.prefix, units.size() - common.prefix - common.suffix);
    }
    const rules::ResourcePlan& resource = *plan_before->resources[i];
    for (const MadeUnitPtr& unit : units) {
      Key key{.name = {resource.name, unit->id},
              .shares = unit->shares,
              .devices = inventory::exclusive_devices(resource, *unit->members)};
      if (!is_offered(key)) former_.try_emplace(std::move(key), Former{.since = now});
    }
  }
  held_.clear();
  for (auto at = former_.begin(); at != former_.end();) {
    at = is_over(at->first, at->second, assignments, now) ? former_.erase(at) : std::next(at);
  }
}

bool FormerUnits::is_over(const Key& key, Former& former,
                          const status::AssignmentsByResource* assignments, Time now) {
  if (is_offered(key)) return true;
  if (assignments == nullptr) {
    former.since = now;
    return false;
  }
  inventory::HeldUnit held = find_holders(*assignments, key, former);
  if (held.holder.empty()) return now - former.since > kForgetTime;
  held_.push_back(std::move(held));
  return false;
}

void FormerUnits::withhold(inventory::Healths& healths, std::vector<inventory::HeldUnit> claimed) {
  claimed.insert(claimed.end(), held_.begin(), held_.end());
  const auto names = inventory::withhold(*plan_, offered_, claimed, healths);
  std::map<std::string, LogBatches> added;  // By resource.
  for (const auto& name : names) {
    if (!withheld_.contains(name)) added[name.first].add({}, name.second, {});
  }
  for (const auto& [resource, units] : added) {
    units.write(
        log::Level::info,
        {"unit is withheld: a Pod or ResourceClaim has its device", log::EventKind::unhealthy},
        resource);
  }
  withheld_ = {names.begin(), names.end()};
}

std::set<std::string, std::less<>> FormerUnits::resources() const {
  std::set<std::string, std::less<>> names;
  for (const auto& [key, former] : former_) names.insert(key.name.first);
  return names;
}

}  // namespace patchbay::daemon
