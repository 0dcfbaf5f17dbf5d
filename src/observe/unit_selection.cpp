#include "observe/unit_selection.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/text.h"

namespace patchbay::observe {
namespace {

/// `word` is in lower case.
bool holds(std::string_view text, std::string_view word) {
  return !std::ranges::search(text, word, {}, ascii_lower).empty();
}

bool holds(const inventory::Unit& unit, std::string_view word) {
  if (holds(unit.id, word) || holds(unit.healthy ? "healthy" : "unhealthy", word) ||
      holds(unit.reason, word)) {
    return true;
  }
  return std::ranges::any_of(unit.members->devices, [&](const inventory::UnitDevice& device) {
    const DeviceFacts& facts = *device.facts;
    return holds(facts.key, word) || holds(facts.devnode, word) || holds(facts.name, word);
  });
}

bool holds(const HeldDevice& held, std::string_view word) {
  return std::ranges::any_of(held.holders, [&](const Holder& holder) {
    const Container& container = *holder.container;
    return holds(container.pod_namespace, word) || holds(container.pod, word) ||
           holds(container.name, word);
  });
}

}  // namespace

SelectedUnits select_units(const inventory::Snapshot& snapshot, const UnitSelection& selection,
                           const HoldersByUnit& holders) {
  std::string text = selection.match;
  std::ranges::transform(text, text.begin(), ascii_lower);
  std::vector<std::string_view> words = split(text, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  SelectedUnits selected;
  for (size_t index = 0; index < snapshot.units.size(); ++index) {
    const inventory::Unit& unit = snapshot.units[index];
    const auto held = holders.find(unit.id);
    const auto is_said = [&](std::string_view word) {
      return holds(unit, word) || (held != holders.end() && holds(held->second, word));
    };
    if (!std::ranges::all_of(words, is_said)) continue;
    selected.indexes.push_back(index);
  }
  auto& indexes = selected.indexes;
  selected.matching = indexes.size();
  if (selection.unhealthy_first) {
    std::ranges::stable_partition(indexes,
                                  [&](size_t index) { return !snapshot.units[index].healthy; });
  }
  const size_t from = std::min(selection.from, indexes.size());
  indexes.erase(indexes.begin(), indexes.begin() + static_cast<ptrdiff_t>(from));
  indexes.resize(std::min(selection.most, indexes.size()));
  return selected;
}

}  // namespace patchbay::observe
