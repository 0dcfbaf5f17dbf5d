#include "daemon/update_order.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "inventory/list_changes.h"

namespace patchbay::daemon {
namespace {

using inventory::Snapshot;
using inventory::SnapshotPtr;
using inventory::Unit;
using inventory::UnitList;
/// Indexes of the updates that had a device, by its key.
using Sources = std::multimap<std::string_view, size_t>;

bool same_devices(const Unit& a, const Unit& b) {
  const auto key = [](const inventory::UnitDevice& device) -> const std::string& {
    return device.facts->key;
  };
  return a.members == b.members ||
         std::ranges::equal(a.members->devices, b.members->devices, {}, key, key);
}

/// Whether the unit has devices, and `other` does not have the same ones.
bool has_others(const Unit* unit, const Unit* other) {
  if (unit == nullptr || !unit->checks) return false;  // The unit is absent or lost.
  return other == nullptr || !other->checks || !same_devices(*unit, *other);
}

/// Adds the devices of units that are no longer offered, or are offered under another id.
void add_sources(const ListUpdate& update, size_t index, Sources& sources) {
  static const UnitList none;
  inventory::for_each_change(update.acknowledged->units, update.now ? update.now->units : none,
                             [&](const Unit* was, const Unit* is) {
                               if (!has_others(was, is)) return;
                               for (const auto& device : was->members->devices) {
                                 sources.emplace(device.facts->key, index);
                               }
                             });
}

/// Returns the new units whose devices other lists still have, and marks these.
std::set<const Unit*> units_to_withhold(const ListUpdate& update, size_t index,
                                        const Sources& sources, std::vector<NextList>& next) {
  static const UnitList none;
  std::set<const Unit*> withheld;
  inventory::for_each_change(update.acknowledged ? update.acknowledged->units : none,
                             update.now->units, [&](const Unit* was, const Unit* is) {
                               if (!has_others(is, was)) return;
                               for (const auto& device : is->members->devices) {
                                 const auto [first, last] = sources.equal_range(device.facts->key);
                                 for (auto source = first; source != last; ++source) {
                                   if (source->second == index) continue;
                                   next[source->second].at_once = true;
                                   withheld.insert(is);
                                 }
                               }
                             });
  return withheld;
}

SnapshotPtr without(const Snapshot& snapshot, const std::set<const Unit*>& withheld) {
  std::vector<inventory::UnitPtr> units;
  for (auto unit = snapshot.units.begin(); unit != snapshot.units.end(); ++unit) {
    if (!withheld.contains(&*unit)) units.push_back(unit.shared());
  }
  return std::make_shared<const Snapshot>(Snapshot{.resource = snapshot.resource,
                                                   .units = UnitList(std::move(units)),
                                                   .complete = false,
                                                   .event_time = snapshot.event_time});
}

}  // namespace

std::vector<NextList> next_lists(std::span<const ListUpdate> updates) {
  std::vector<NextList> next;
  for (const ListUpdate& update : updates) next.push_back({.list = update.now});
  Sources sources;
  for (size_t index = 0; updates.size() > 1 && index < updates.size(); ++index) {
    const ListUpdate& update = updates[index];
    if (update.acknowledged && update.acknowledged != update.now) {
      add_sources(update, index, sources);
    }
  }
  if (sources.empty()) return next;
  for (size_t index = 0; index < updates.size(); ++index) {
    const ListUpdate& update = updates[index];
    if (!update.now || update.acknowledged == update.now) continue;
    const auto withheld = units_to_withhold(update, index, sources, next);
    if (!withheld.empty()) next[index].list = without(*update.now, withheld);
  }
  return next;
}

}  // namespace patchbay::daemon
