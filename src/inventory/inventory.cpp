#include "inventory/inventory.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>

#include "base/text.h"
#include "inventory/pending.h"

namespace patchbay::inventory {
namespace {

bool id_less(const Unit& a, const Unit& b) { return natural_less(a.id, b.id); }

/// A unit as it is kept when its plan is not: its group means nothing any more.
Unit without_group(Unit unit) {
  UnitMembers members{.group = 0, .by = {}, .devices = unit.members->devices};
  for (UnitDevice& device : members.devices) device.role = 0;
  unit.members = std::make_shared<const UnitMembers>(std::move(members));
  unit.checks = nullptr;
  return unit;
}

std::vector<Degraded> degraded(const rules::ResourcePlan& resource,
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

/// Since when each unit is as it is, and why it was not, follows from how it was before. Both are
/// in natural order of ids; the same members mean the same id.
void keep_history(std::span<const Unit> before, std::vector<Unit>& units, Inventory::Time now) {
  auto was = before.begin();
  for (Unit& unit : units) {
    was = std::find_if_not(was, before.end(), [&](const Unit& b) {
      return b.members != unit.members && id_less(b, unit);
    });
    const bool known = was != before.end() && was->id == unit.id;
    unit.since = known && was->healthy == unit.healthy ? was->since : now;
    if (known && unit.healthy) unit.last_reason = was->healthy ? was->last_reason : was->reason;
  }
}

}  // namespace

Inventory::Inventory(rules::PlanPtr plan, const Inventory* previous)
    : previous_(previous),
      plan_(std::move(plan)),
      completer_(plan_),
      pending_(plan_->resources.size()),
      lost_(plan_->resources.size()),
      before_(plan_->resources.size()) {}

void Inventory::inherit(const Inventory& previous) {
  previous_ = nullptr;
  for (size_t resource = 0; resource < plan_->resources.size(); ++resource) {
    const auto& before = previous.plan_->resources;
    const auto same =
        std::ranges::find(before, plan_->resources[resource]->name, &rules::ResourcePlan::name);
    if (same == before.end()) continue;
    const auto index = static_cast<size_t>(same - before.begin());
    before_[resource] = previous.before_[index];
    const bool same_groups = *same == plan_->resources[resource];
    for (const auto& [id, lost] : previous.lost_[index]) {
      lost_[resource].emplace(id,
                              Lost{same_groups ? lost.unit : without_group(lost.unit), lost.since});
    }
  }
}

bool Inventory::apply(DeviceFactsPtr facts) {
  const auto known = devices_.find(facts->key);
  if (known != devices_.end() && *known->second.facts == *facts) return false;
  auto matches = match(facts);
  if (known == devices_.end()) {
    if (matches.empty()) return false;
    const std::string_view key = facts->key;
    devices_.emplace(key, KnownDevice{std::move(facts), std::move(matches)});
    return true;
  }
  const bool looked_at = !matches.empty() || !known->second.matches.empty();
  // The table's key is that of the facts; its place stays the same.
  const auto next = std::next(known);
  auto device = devices_.extract(known);
  device.key() = facts->key;
  device.mapped() = {std::move(facts), std::move(matches)};
  devices_.insert(next, std::move(device));
  return looked_at;
}

/// `facts` become those that the inventory before has, if they are equal.
std::vector<Match> Inventory::match(DeviceFactsPtr& facts) const {
  if (previous_ != nullptr) {
    const auto known = previous_->devices_.find(facts->key);
    if (known != previous_->devices_.end() && *known->second.facts == *facts) {
      facts = known->second.facts;
      const KnownBefore before{.device = known->second, .plan = *previous_->plan_};
      return matches_of(*plan_, facts, &before);
    }
  }
  return matches_of(*plan_, facts);
}

bool Inventory::remove(const std::string& key) {
  const auto known = devices_.find(key);
  if (known == devices_.end()) return false;
  // Also one that matched no more: the reason for which its unit is lost is another now.
  devices_.erase(known);
  return true;
}

bool Inventory::set_online_nodes(std::set<int> nodes) {
  if (nodes == online_nodes_) return false;
  online_nodes_ = std::move(nodes);
  return true;
}

bool Inventory::set_pattern_cut(const std::string& pattern, const std::string& why) {
  const auto known = cuts_.find(pattern);
  if (why == (known == cuts_.end() ? "" : known->second)) return false;
  if (why.empty()) {
    cuts_.erase(known);
  } else {
    cuts_[pattern] = why;
  }
  return true;
}

bool Inventory::set_unanswered(const std::vector<Unanswered>& all) {
  unanswered_ = all;
  auto pending = pending_of(*plan_, all);
  if (pending == pending_) return false;
  pending_ = std::move(pending);
  return true;
}

bool Inventory::is_waited_for() const {
  return std::ranges::any_of(pending_, [](const std::vector<Pending>& of_resource) {
    return std::ranges::any_of(of_resource, &Pending::waited_for);
  });
}

std::vector<std::string> Inventory::keep_unanswered() {
  std::vector<std::string> kept;
  if (previous_ == nullptr || unanswered_.empty()) return kept;
  const auto is_silent = [&](const DeviceFacts& facts) {
    return std::ranges::any_of(unanswered_, [&](const Unanswered& silent) {
      if (!silent.key.empty()) return silent.key == facts.key;
      return std::ranges::any_of(facts.found_by, [&](const FoundBy& found) {
        return std::ranges::find(silent.patterns, found.pattern) != silent.patterns.end();
      });
    });
  };
  for (const auto& [key, known] : previous_->devices_) {
    if (devices_.contains(key) || !is_silent(*known.facts)) continue;
    kept.emplace_back(key);
    apply(known.facts);
  }
  return kept;
}

size_t Inventory::matched_devices() const {
  return static_cast<size_t>(std::ranges::count_if(
      devices_, [](const auto& device) { return !device.second.matches.empty(); }));
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
             ? "the device has another id now"
             : "the device does not match any more";
}

std::vector<Unit> Inventory::missing(size_t resource, const MadeUnits& offered) const {
  std::vector<Unit> missing;
  const SnapshotPtr& before = before_[resource];
  if (!before) return missing;
  auto now = offered.begin();
  for (const Unit& unit : before->units) {
    if (!unit.checks) continue;  // It was lost before.
    // Both are in natural order of ids; what was made once is known without a look at its id.
    now = std::find_if_not(now, offered.end(), [&](const MadeUnitPtr& made) {
      return made->members != unit.members && natural_less(made->id, unit.id);
    });
    if (now != offered.end() && (*now)->id == unit.id) continue;
    missing.push_back(before->resource == plan_->resources[resource] ? unit : without_group(unit));
  }
  return missing;
}

/// Units that are not offered any more are lost from now on; those that came back are not.
void Inventory::note_lost(size_t resource, const Refusals& refusals, Time now) {
  LostUnits& lost = lost_[resource];
  const MadeUnits& offered = *offered_->by_resource[resource];
  for (Unit& unit : missing(resource, offered)) {
    const std::string id = unit.id;
    unit.since = {};
    unit.last_reason.clear();
    lost.emplace(id, Lost{std::move(unit), now});
  }
  const auto linger = plan_->resources[resource]->linger;
  std::erase_if(lost, [&](const auto& entry) {
    // An id is once on the node: offered again, here or by another resource, it is not lost.
    return now - entry.second.since >= linger || offered_->owners.contains(entry.first);
  });
  drop_listed(lost, offered);
  for (auto& [id, entry] : lost) {
    entry.unit.healthy = false;
    entry.unit.checks = nullptr;
    entry.unit.reason = loss_reason(resource, entry.unit, refusals);
    const Time due = entry.since + linger;
    last_.next_change = std::min(last_.next_change.value_or(due), due);
  }
}

void Inventory::drop_listed(LostUnits& lost, const MadeUnits& offered) {
  if (lost.empty()) return;
  std::erase_if(lost, [&](const auto& entry) {
    return entry.second.unit.parts == 0 && has_part(offered, entry.first);
  });
  for (const MadeUnitPtr& made : offered) {
    const auto part = made->parts == 0 ? split_part_id(made->id) : std::nullopt;
    const auto shared = part ? lost.find(part->unit) : lost.end();
    if (shared != lost.end() && part->part < shared->second.unit.parts) lost.erase(shared);
  }
}

bool Inventory::are_still(std::span<const Unit> units, const MadeUnits& offered,
                          std::span<const Health> healths) const {
  const auto is_online = [&](int node) { return online_nodes_.contains(node); };
  if (units.size() != offered.size()) return false;
  for (size_t i = 0; i < units.size(); ++i) {
    const Unit& unit = units[i];
    // Members are made with the unit, so the same ones mean the same id and all else.
    if (unit.members != offered[i]->members || !unit.checks) return false;
    if (unit.healthy != healths[i].healthy || unit.reason != healths[i].reason) return false;
    if (!std::ranges::equal(unit.nodes, offered[i]->nodes | std::views::filter(is_online))) {
      return false;
    }
  }
  return true;
}

Unit Inventory::unit_of(const MadeUnit& made, const Health& health) const {
  Unit unit{.id = made.id,
            .id_source = made.id_source,
            .nodes = made.nodes,
            .parts = made.parts,
            .healthy = health.healthy,
            .reason = health.reason,
            .members = made.members,
            .checks = made.checks};
  std::erase_if(unit.nodes, [&](int node) { return !online_nodes_.contains(node); });
  return unit;
}

std::vector<Unit> Inventory::with_lost(size_t resource, std::vector<Unit> units) const {
  const size_t offered = units.size();
  size_t listed = 0;
  for (const Unit& unit : units) listed += counted(unit.listed(), unit.nodes.size());
  for (const auto& [id, entry] : lost_[resource]) {
    listed += counted(entry.unit.listed(), entry.unit.nodes.size());
    if (listed > kMaxUnits) break;
    units.push_back(entry.unit);
  }
  std::ranges::inplace_merge(units, units.begin() + static_cast<ptrdiff_t>(offered), id_less);
  return units;
}

SnapshotPtr Inventory::snapshot(size_t resource, const MadeUnits& offered,
                                std::span<const Health> healths, Time now) const {
  const SnapshotPtr& before = before_[resource];
  const bool whole = pending_[resource].empty();
  const bool same_plan =
      before && before->resource == plan_->resources[resource] && before->whole == whole;
  // Most resources are as they were: they need not be made to see that.
  if (same_plan && lost_[resource].empty() && are_still(before->units, offered, healths)) {
    return before;
  }
  std::vector<Unit> units;
  units.reserve(offered.size() + lost_[resource].size());
  for (size_t i = 0; i < offered.size(); ++i) units.push_back(unit_of(*offered[i], healths[i]));
  units = with_lost(resource, std::move(units));
  if (same_plan && before->units == units) return before;
  keep_history(before ? std::span<const Unit>(before->units) : std::span<const Unit>(), units, now);
  return std::make_shared<const Snapshot>(
      Snapshot{.resource = plan_->resources[resource], .units = std::move(units), .whole = whole});
}

const std::vector<MadeUnitsPtr>& Inventory::offer() {
  Claims claims = settle_claims(*plan_, devices_);
  auto units = completer_.complete(claims, claims.refusals);
  offered_.emplace(identifier_.identify(*plan_, std::move(units), claims.refusals));
  last_.resources.resize(plan_->resources.size());
  for (size_t resource = 0; resource < claims.refusals.size(); ++resource) {
    Refusals& refusals = claims.refusals[resource];
    std::ranges::stable_sort(refusals, natural_less, &Refusal::device);
    last_.resources[resource].refusals = std::move(refusals);
  }
  return offered_->by_resource;
}

const Resolution& Inventory::settle(Time now, const Healths& healths) {
  last_.next_change.reset();
  for (size_t resource = 0; resource < plan_->resources.size(); ++resource) {
    const MadeUnits& offered = *offered_->by_resource[resource];
    ResolvedResource& resolved = last_.resources[resource];
    note_lost(resource, resolved.refusals, now);
    before_[resource] = healths.empty()
                            ? snapshot(resource, offered, std::vector<Health>(offered.size()), now)
                            : snapshot(resource, offered, healths[resource], now);
    resolved.snapshot = before_[resource];
    resolved.degraded = degraded(*plan_->resources[resource], cuts_);
    resolved.pending = pending_[resource];
  }
  return last_;
}

}  // namespace patchbay::inventory
