#include "daemon/update_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "inventory/list_changes.h"

namespace patchbay::daemon {
namespace {

using inventory::Snapshot;
using inventory::Unit;
/// Indexes of the updates that had a device, by its key.
using Sources = std::multimap<std::string_view, size_t>;

bool same_devices(const Unit& a, const Unit& b) {
  const auto key = [](const inventory::UnitDevice& device) -> const std::string& {
    return device.facts->key;
  };
  return a.members == b.members ||
         std::ranges::equal(a.members->devices, b.members->devices, {}, key, key);
}

/// Adds the devices of units that are no longer offered, or are offered under another id.
void add_sources(const Snapshot& last_sent, const Snapshot& now, size_t index, Sources& sources) {
  inventory::for_each_change(last_sent.units, now.units, [&](const Unit* was, const Unit* is) {
    // The unit was absent or lost before.
    if (was == nullptr || !was->checks) return;
    if (is != nullptr && is->checks && same_devices(*is, *was)) return;
    for (const auto& device : was->members->devices) sources.emplace(device.facts->key, index);
  });
}

void mark_sources(const Snapshot& now, size_t index, const Sources& sources,
                  std::vector<bool>& is_source) {
  for (const Unit& unit : now.units) {
    if (!unit.checks) continue;
    for (const auto& device : unit.members->devices) {
      const auto [first, last] = sources.equal_range(device.facts->key);
      for (auto source = first; source != last; ++source) {
        if (source->second != index) is_source[source->second] = true;
      }
    }
  }
}

}  // namespace

std::vector<bool> sources_first(std::span<const ListUpdate> updates) {
  std::vector<bool> is_source(updates.size(), false);
  if (updates.size() < 2) return is_source;
  Sources sources;
  for (size_t index = 0; index < updates.size(); ++index) {
    const auto& [last_sent, now] = updates[index];
    if (last_sent && last_sent != now) add_sources(*last_sent, *now, index, sources);
  }
  if (sources.empty()) return is_source;
  for (size_t index = 0; index < updates.size(); ++index) {
    const auto& [last_sent, now] = updates[index];
    if (last_sent != now) mark_sources(*now, index, sources, is_source);
  }
  return is_source;
}

}  // namespace patchbay::daemon
