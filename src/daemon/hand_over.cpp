#include "daemon/hand_over.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "inventory/list_changes.h"

namespace patchbay::daemon {
namespace {

using inventory::Snapshot;
using inventory::Unit;
/// The places of those who had a device, by its key.
using Givers = std::multimap<std::string_view, size_t>;

bool same_devices(const Unit& a, const Unit& b) {
  const auto key = [](const inventory::UnitDevice& device) -> const std::string& {
    return device.facts->key;
  };
  return a.members == b.members ||
         std::ranges::equal(a.members->devices, b.members->devices, {}, key, key);
}

/// Notes the devices of units that are offered no more, or under another id.
void note_given(const Snapshot& told, const Snapshot& now, size_t place, Givers& givers) {
  inventory::for_each_change(told.units, now.units, [&](const Unit* was, const Unit* is) {
    // It was not there, or lost before.
    if (was == nullptr || !was->checks) return;
    if (is != nullptr && is->checks && same_devices(*is, *was)) return;
    for (const auto& device : was->members->devices) givers.emplace(device.facts->key, place);
  });
}

void note_receiver(const Snapshot& now, size_t place, const Givers& givers,
                   std::vector<bool>& giving) {
  for (const Unit& unit : now.units) {
    if (!unit.checks) continue;
    for (const auto& device : unit.members->devices) {
      const auto [first, last] = givers.equal_range(device.facts->key);
      for (auto giver = first; giver != last; ++giver) {
        if (giver->second != place) giving[giver->second] = true;
      }
    }
  }
}

}  // namespace

std::vector<bool> giving_away(std::span<const News> news) {
  std::vector<bool> giving(news.size(), false);
  if (news.size() < 2) return giving;
  Givers givers;
  for (size_t place = 0; place < news.size(); ++place) {
    const auto& [told, now] = news[place];
    if (told && told != now) note_given(*told, *now, place, givers);
  }
  if (givers.empty()) return giving;
  for (size_t place = 0; place < news.size(); ++place) {
    const auto& [told, now] = news[place];
    if (told != now) note_receiver(*now, place, givers, giving);
  }
  return giving;
}

}  // namespace patchbay::daemon
