#include "render/unit_selection.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace patchbay::render {
namespace {

/// `word` is in lower case.
bool contains(std::string_view text, std::string_view word) {
  return !std::ranges::search(text, word, {}, ascii_lower).empty();
}

bool contains(const inventory::Unit& unit, std::string_view word) {
  if (contains(unit.id, word) || contains(unit.healthy ? "healthy" : "unhealthy", word) ||
      contains(unit.reason, word)) {
    return true;
  }
  return std::ranges::any_of(unit.members->devices, [&](const inventory::UnitDevice& device) {
    const DeviceFacts& facts = *device.facts;
    return contains(facts.key, word) || contains(facts.devnode, word) || contains(facts.name, word);
  });
}

bool contains(const status::DeviceAssignments& assigned, std::string_view word) {
  return std::ranges::any_of(assigned.assignments, [&](const status::Assignment& assignment) {
    const status::Container& container = *assignment.container;
    return contains(container.pod_namespace, word) || contains(container.pod, word) ||
           contains(container.name, word);
  });
}

}  // namespace

SelectedUnits select_units(const inventory::Snapshot& snapshot, const UnitSelection& selection,
                           const status::AssignmentsByUnit& assignments) {
  const std::string text = lower_case(selection.match);
  std::vector<std::string_view> words = split(text, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  SelectedUnits selected;
  for (size_t index = 0; index < snapshot.units.size(); ++index) {
    const inventory::Unit& unit = snapshot.units[index];
    const auto assigned = assignments.find(unit.id);
    const auto is_found = [&](std::string_view word) {
      return contains(unit, word) ||
             (assigned != assignments.end() && contains(assigned->second, word));
    };
    if (!std::ranges::all_of(words, is_found)) continue;
    selected.indexes.push_back(index);
  }
  auto& indexes = selected.indexes;
  selected.matching = indexes.size();
  if (selection.unhealthy_first) {
    std::ranges::stable_partition(indexes,
                                  [&](size_t index) { return !snapshot.units[index].healthy; });
  }
  const size_t from = std::min(selection.offset, indexes.size());
  indexes.erase(indexes.begin(), indexes.begin() + static_cast<ptrdiff_t>(from));
  indexes.resize(std::min(selection.limit, indexes.size()));
  return selected;
}

}  // namespace patchbay::render
