// Computes lists, health and lost units from the offered units.
#include <algorithm>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "inventory/inventory.h"

namespace patchbay::inventory {
namespace {

/// The groups of a resource with patterns that do not find all matching devices. `cuts`: by
/// pattern, why it does not find all.
std::vector<Degraded> degraded_of(const rules::ResourcePlan& resource,
                                  const std::map<std::string, std::string>& cuts) {
  std::vector<Degraded> all;
  if (cuts.empty()) return all;
  for (size_t group = 0; group < resource.groups.size(); ++group) {
    const rules::GroupPlan& plan = resource.groups[group];
    for (rules::Role role = 0; role < plan.roles(); ++role) {
      for (const std::string& pattern : plan.matcher(role).patterns()) {
        const auto cut = cuts.find(pattern);
        if (cut != cuts.end()) all.push_back({group, pattern, cut->second});
      }
    }
  }
  return all;
}

bool id_less(const UnitPtr& a, const UnitPtr& b) { return natural_less(a->id, b->id); }

/// A unit for a list without its plan: the group index is meaningless there.
Unit without_group(Unit unit) {
  UnitMembers members{.group = 0, .by = {}, .devices = unit.members->devices};
  for (UnitDevice& device : members.devices) device.role = 0;
  unit.members = std::make_shared<const UnitMembers>(std::move(members));
  unit.checks = nullptr;
  return unit;
}

/// Sets `since` and the last reason from the unit's previous state. Returns the previous object if
/// it is equal and has the same plan (`same_plan`).
UnitPtr with_history(const UnitPtr* before, Unit unit, bool same_plan, Inventory::Time now) {
  if (before == nullptr) {
    unit.since = now;
    return std::make_shared<const Unit>(std::move(unit));
  }
  const Unit& was = **before;
  if (same_plan && was == unit) return *before;
  unit.since = was.healthy == unit.healthy ? was.since : now;
  if (unit.healthy) unit.last_reason = was.healthy ? was.last_reason : was.reason;
  return std::make_shared<const Unit>(std::move(unit));
}

/// The units between the common prefix and suffix of two lists.
auto middle(const UnitList& units, const CommonPrefixSuffix& common) {
  return std::ranges::subrange(units.begin() + static_cast<ptrdiff_t>(common.prefix),
                               units.end() - static_cast<ptrdiff_t>(common.suffix));
}

}  // namespace

void Inventory::inherit(const Inventory& previous) {
  previous_ = nullptr;
  for (size_t resource = 0; resource < plan_->resources.size(); ++resource) {
    const auto& before = previous.plan_->resources;
    const auto same =
        std::ranges::find(before, plan_->resources[resource]->name, &rules::ResourcePlan::name);
    if (same == before.end()) continue;
    const auto index = static_cast<size_t>(same - before.begin());
    last_snapshots_[resource] = previous.last_snapshots_[index];
    const bool same_groups = *same == plan_->resources[resource];
    for (const auto& [id, lost] : previous.lost_[index]) {
      lost_[resource].emplace(id,
                              Lost{same_groups ? lost.unit : without_group(lost.unit), lost.since});
    }
  }
}

void Inventory::set_held(std::span<const HeldUnit> held) {
  held_.clear();
  for (const HeldUnit& unit : held) held_.insert(unit.name);
}

std::string Inventory::loss_reason(size_t resource, const Unit& unit,
                                   const Refusals& refusals) const {
  const auto& devices = unit.members->devices;
  const auto is_gone = [&](const UnitDevice& device) {
    return !devices_.contains(device.facts->key);
  };
  if (const auto gone = std::ranges::find_if(devices, is_gone); gone != devices.end()) {
    return devices.size() == 1 ? "the device is gone" : printable(gone->facts->key) + " is gone";
  }
  const std::string& key = devices.front().facts->key;
  const auto refusal = std::ranges::lower_bound(refusals, key, natural_less, &Refusal::device);
  if (refusal != refusals.end() && refusal->device == key) return refusal->reason;
  const auto makes_unit = [&](const Match& match) {
    return match.rule.resource == resource && match.rule.role == 0;
  };
  return std::ranges::any_of(devices_.find(key)->second.matches, makes_unit)
             ? "the device belongs to another unit now"
             : "the device no longer matches";
}

CommonPrefixSuffix Inventory::unchanged(size_t resource, const MadeUnits& offered,
                                        std::span<const Health> healths) const {
  if (!snapshot_inputs_[resource] || !healths.empty()) return {};
  return common_prefix_suffix<MadeUnitPtr>(*snapshot_inputs_[resource], offered);
}

std::vector<Unit> Inventory::missing(size_t resource, const MadeUnits& offered,
                                     const CommonPrefixSuffix& common) const {
  std::vector<Unit> missing;
  const SnapshotPtr& before = last_snapshots_[resource];
  if (!before) return missing;
  auto now = offered.begin() + static_cast<ptrdiff_t>(common.prefix);
  const auto last = offered.end() - static_cast<ptrdiff_t>(common.suffix);
  for (const Unit& unit : middle(before->units, common)) {
    if (!unit.checks) continue;  // The unit was lost earlier.
    // Both lists are in natural order of ids. Equal members mean equal ids, so ids need no
    // comparison.
    now = std::find_if_not(now, last, [&](const MadeUnitPtr& made) {
      return made->members != unit.members && natural_less(made->id, unit.id);
    });
    if (now != last && (*now)->id == unit.id) continue;
    missing.push_back(before->resource == plan_->resources[resource] ? unit : without_group(unit));
  }
  return missing;
}

/// Records units that are no longer offered as lost, and drops units that returned.
void Inventory::note_lost(size_t resource, const CommonPrefixSuffix& common, Time now) {
  LostUnits& lost = lost_[resource];
  const MadeUnits& offered = *id_assigner_.offered()[resource];
  for (Unit& unit : missing(resource, offered, common)) {
    const std::string id = unit.id;
    unit.since = {};
    unit.last_reason.clear();
    lost.emplace(id, Lost{std::move(unit), now});
  }
  const rules::ResourcePlan& plan = *plan_->resources[resource];
  const auto is_held = [&](const std::string& id) { return held_.contains({plan.name, id}); };
  std::erase_if(lost, [&](const auto& entry) {
    const auto& [id, its] = entry;
    return (now - its.since >= plan.linger && !is_held(id)) ||
           id_assigner_.find(resource, id) != nullptr || is_offered_elsewhere(resource, its.unit);
  });
  drop_id_conflicts(lost, offered);
  for (auto& [id, entry] : lost) {
    entry.unit.healthy = false;
    entry.unit.checks = nullptr;
    entry.unit.failed_probe.reset();
    entry.unit.reason = loss_reason(resource, entry.unit, last_.resources[resource].refusals);
    const Time due = entry.since + plan.linger;
    if (due > now) last_.next_change = std::min(last_.next_change.value_or(due), due);
  }
}

bool Inventory::is_offered_elsewhere(size_t resource, const Unit& unit) const {
  if (plan_->resources[resource]->shares_claims) return false;
  for (size_t other = 0; other < plan_->resources.size(); ++other) {
    if (other == resource || plan_->resources[other]->shares_claims) continue;
    const MadeUnit* const made = id_assigner_.find(other, unit.id);
    if (made != nullptr && made->device() == unit.members->devices.front().facts->key) return true;
  }
  return false;
}

void Inventory::drop_id_conflicts(LostUnits& lost, const MadeUnits& offered) {
  if (lost.empty()) return;
  std::erase_if(lost, [&](const auto& entry) {
    return entry.second.unit.shares == 0 && has_share(offered, entry.first);
  });
  for (const MadeUnitPtr& made : offered) {
    const auto share = made->shares == 0 ? split_share_id(made->id) : std::nullopt;
    const auto shared = share ? lost.find(share->unit) : lost.end();
    if (shared != lost.end() && share->share < shared->second.unit.shares) lost.erase(shared);
  }
}

bool Inventory::is_unchanged(const Unit& unit, const MadeUnit& made, const Health& health) const {
  const auto is_online = [&](int node) { return online_nodes_.contains(node); };
  // Members and unit are created together, so equal members mean that id and nodes are equal, too.
  return unit.members == made.members && unit.checks && unit.healthy == health.healthy &&
         unit.reason == health.reason &&
         std::ranges::equal(unit.nodes, made.nodes | std::views::filter(is_online));
}

Unit Inventory::unit_of(const MadeUnit& made, const Health& health) const {
  Unit unit{.id = made.id,
            .id_source = made.id_source,
            .nodes = made.nodes,
            .shares = made.shares,
            .empty_allocation = made.empty_allocation,
            .healthy = health.healthy,
            .reason = health.reason,
            .members = made.members,
            .checks = made.checks,
            .failed_probe = health.failed_probe};
  std::erase_if(unit.nodes, [&](int node) { return !online_nodes_.contains(node); });
  return unit;
}

std::vector<const Unit*> Inventory::listed_lost(size_t resource,
                                                const std::vector<UnitPtr>& units) const {
  std::vector<const Unit*> lost;
  if (lost_[resource].empty()) return lost;
  size_t listed = 0;
  for (const UnitPtr& unit : units) listed += list_size(unit->listed(), unit->nodes.size());
  for (const auto& [id, entry] : lost_[resource]) {
    listed += list_size(entry.unit.listed(), entry.unit.nodes.size());
    if (listed > kMaxUnits) break;
    lost.push_back(&entry.unit);
  }
  return lost;
}

SnapshotPtr Inventory::snapshot(size_t resource, const MadeUnits& offered,
                                std::span<const Health> healths, const CommonPrefixSuffix& common,
                                Time now) const {
  static const UnitList none;
  static const Health healthy;
  const SnapshotPtr& before = last_snapshots_[resource];
  const UnitList& units_before = before ? before->units : none;
  const bool complete = delayed_by_[resource].empty();
  const bool same_plan = before && before->resource == plan_->resources[resource];
  std::vector<UnitPtr> units;
  units.reserve(offered.size() + lost_[resource].size());
  auto was = units_before.begin();
  for (; units.size() < common.prefix; ++was) units.push_back(was.shared());
  const auto last = units_before.end() - static_cast<ptrdiff_t>(common.suffix);
  for (size_t i = common.prefix; i < offered.size() - common.suffix; ++i) {
    const MadeUnit& made = *offered[i];
    const Health& health = healths.empty() ? healthy : healths[i];
    // Both lists are in natural order of ids.
    was = std::find_if_not(was, last, [&](const Unit& unit) {
      return unit.members != made.members && natural_less(unit.id, made.id);
    });
    if (was != last && is_unchanged(*was, made, health)) {
      units.push_back(was.shared());
    } else {
      const bool known = was != last && was->id == made.id;
      units.push_back(
          with_history(known ? &was.shared() : nullptr, unit_of(made, health), same_plan, now));
    }
  }
  for (was = last; was != units_before.end(); ++was) units.push_back(was.shared());
  const auto offered_units = static_cast<ptrdiff_t>(units.size());
  for (const Unit* lost : listed_lost(resource, units)) {
    const auto known = find_unit(units_before, lost->id);
    units.push_back(with_history(known != units_before.end() ? &known.shared() : nullptr, *lost,
                                 same_plan, now));
  }
  std::ranges::inplace_merge(units, units.begin() + offered_units, id_less);
  if (same_plan && before->complete == complete && units_before.shares_all_of(units)) return before;
  return std::make_shared<const Snapshot>(Snapshot{.resource = plan_->resources[resource],
                                                   .units = UnitList(std::move(units)),
                                                   .complete = complete,
                                                   .event_time = event_time_});
}

bool Inventory::is_snapshot_current(size_t resource, std::span<const Health> healths) const {
  return healths.empty() && snapshot_inputs_[resource] == id_assigner_.offered()[resource] &&
         last_snapshots_[resource] &&
         last_snapshots_[resource]->complete == delayed_by_[resource].empty();
}

const Resolution& Inventory::make_snapshots(Time now, const Healths& healths) {
  last_.next_change.reset();
  for (size_t resource = 0; resource < plan_->resources.size(); ++resource) {
    const MadeUnitsPtr& offered = id_assigner_.offered()[resource];
    const auto its = healths.empty() ? std::span<const Health>() : std::span(healths[resource]);
    ResolvedResource& resolved = last_.resources[resource];
    if (!is_snapshot_current(resource, its)) {
      const CommonPrefixSuffix common = unchanged(resource, *offered, its);
      note_lost(resource, common, now);
      last_snapshots_[resource] = snapshot(resource, *offered, its, common, now);
      snapshot_inputs_[resource] = its.empty() && lost_[resource].empty() ? offered : nullptr;
    }
    resolved.snapshot = last_snapshots_[resource];
    resolved.degraded = degraded_of(*plan_->resources[resource], truncations_);
    resolved.unresponsive = delayed_by_[resource];
  }
  event_time_.reset();
  shared_nodes_.update(last_.resources);
  return last_;
}

}  // namespace patchbay::inventory
