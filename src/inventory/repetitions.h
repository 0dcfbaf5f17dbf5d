#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "inventory/snapshot.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// One entry, given once: for one unit, or once per container.
template <typename Entry>
struct Repetition {
  const Entry* entry = nullptr;
  const Unit* unit = nullptr;
  size_t rank = 0;  ///< Which entry of its series in its group.
};

/// The repetitions of all entries with one name or container path, as written; `$(slot)` counts
/// them.
template <typename Entry>
using Series = std::vector<Repetition<Entry>>;

/// Every entry of one list of the groups, repeated: by series in the order of the entries; in a
/// series by entry, then in the order of `units`, also where these are of several groups. An entry
/// that does not depend on the unit is given once, also when several groups have the same.
template <typename Entry>
std::vector<Series<Entry>> repetitions(const rules::ResourcePlan& resource,
                                       std::span<const Unit* const> units,
                                       std::vector<Entry> rules::GroupPlan::*list) {
  std::vector<Series<Entry>> all;
  std::map<std::string_view, size_t> index;
  for (const Unit* unit : units) {
    std::map<std::string_view, size_t> ranks;
    for (const Entry& entry : resource.groups[unit->members->group].*list) {
      const auto [at, is_new] = index.emplace(entry.series(), all.size());
      if (is_new) all.emplace_back();
      Series<Entry>& series = all[at->second];
      const size_t rank = ranks[entry.series()]++;
      const auto same = [&](const auto& other) { return *other.entry == entry; };
      if (!entry.per_unit && std::ranges::any_of(series, same)) continue;
      series.push_back({&entry, unit, rank});
    }
  }
  for (Series<Entry>& series : all) {
    std::ranges::stable_sort(series, {}, &Repetition<Entry>::rank);
  }
  return all;
}

}  // namespace patchbay::inventory
