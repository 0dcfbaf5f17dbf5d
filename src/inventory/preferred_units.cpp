#include "inventory/preferred_units.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "inventory/choice.h"

namespace patchbay::inventory {
namespace {

/// The kubelet's ids, sorted, without duplicates.
std::vector<std::string> tidy(std::span<const std::string> ids) {
  std::vector<std::string> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  return sorted;
}

/// The free shares of one unit, and its other input for the choice.
struct Choosable {
  Candidate candidate;
  std::vector<size_t> shares;  ///< The free ones.
};

/// The number of further shares of the unit that the container may get.
size_t most_of(const Snapshot& snapshot, const Unit& unit, size_t taken) {
  const auto& groups = snapshot.resource->groups;
  // A lost unit may belong to another plan.
  if (unit.members->group >= groups.size()) return 0;
  const size_t most = groups[unit.members->group].max_per_container();
  return most - std::min(most, taken);
}

std::vector<Choosable> choosable(const Snapshot& snapshot, const std::vector<std::string>& free,
                                 const std::vector<std::string>& taken) {
  std::vector<Choosable> all;
  for (const Unit& unit : snapshot.units) {
    all.push_back({{.nodes = unit.nodes,
                    .syspath = std::string(unit.members->devices.front().facts->syspath()),
                    .free = 0,
                    .taken = 0,
                    .used = unit.listed()},
                   {}});
  }
  const auto at = [&](const ListedUnit& listed) -> Choosable& { return all[listed.index]; };
  for (const std::string& id : taken) {
    const auto listed = snapshot.find_listed(id);
    if (!listed) continue;
    ++at(*listed).candidate.taken;
    --at(*listed).candidate.used;
  }
  for (const std::string& id : free) {
    const auto listed = snapshot.find_listed(id);
    if (!listed || !listed->unit->healthy) continue;
    ++at(*listed).candidate.free;
    --at(*listed).candidate.used;
    at(*listed).shares.push_back(listed->share.value_or(0));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].candidate.max_taken = most_of(snapshot, snapshot.units[i], all[i].candidate.taken);
    std::ranges::sort(all[i].shares);
  }
  return all;
}

/// The number of shares of each unit by `prefer`, or the first ones if the choice is too expensive.
std::vector<size_t> counts(const Snapshot& snapshot, const std::vector<Choosable>& all,
                           size_t size) {
  std::vector<Candidate> candidates;
  size_t free = 0;
  for (const Choosable& one : all) {
    free += one.candidate.can_take();
    candidates.push_back(one.candidate);
  }
  if (free * size <= kMaxChoiceWork) {
    return choose_shares(snapshot.resource->prefer, candidates, size);
  }
  std::vector<size_t> first;
  for (const Candidate& candidate : candidates) {
    first.push_back(std::min(candidate.can_take(), size));
    size -= first.back();
  }
  return first;
}

}  // namespace

std::vector<std::string> preferred_units(const Snapshot& snapshot,
                                         std::span<const std::string> available,
                                         std::span<const std::string> must_include, size_t size) {
  std::vector<std::string> chosen = tidy(must_include);
  std::vector<std::string> free;
  std::ranges::set_difference(tidy(available), chosen, std::back_inserter(free));
  if (chosen.size() < size) {
    const auto all = choosable(snapshot, free, chosen);
    const auto count = counts(snapshot, all, size - chosen.size());
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t n = 0; n < count[i]; ++n) {
        chosen.push_back(snapshot.units[i].listed_id(all[i].shares[n]));
      }
    }
  }
  std::ranges::sort(chosen, natural_less);
  chosen.resize(std::min(chosen.size(), size));
  return chosen;
}

}  // namespace patchbay::inventory
