#include "inventory/lone_changes.h"

#include <algorithm>
#include <utility>

namespace patchbay::inventory {
namespace {

/// To look at everything costs no more than so many.
constexpr size_t kMost = 64;

std::vector<DeviceNumber> numbers_of(const DeviceTable& devices) {
  std::vector<DeviceNumber> numbers;
  for (const auto& [key, device] : devices) {
    if (!device.matches.empty() && device.facts->number) numbers.push_back(*device.facts->number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

LoneChanges::Part LoneChanges::part_of(const DeviceTable& devices, std::string_view device) {
  Part part;
  const auto known = devices.find(device);
  if (known == devices.end() || known->second.matches.empty()) return part;
  const auto& [facts, matches] = known->second;
  part.number = facts->number;
  part.alone = matches.size() == 1 && matches.front().alone;
  part.resource = matches.front().rule.resource;
  if (part.alone) part.unit = matches.front().alone;
  return part;
}

void LoneChanges::note(const DeviceTable& devices, std::string_view device) {
  if (!changed_ || changed_->contains(device)) return;
  if (changed_->size() == kMost) return changed_.reset();
  changed_->emplace(device, part_of(devices, device));
}

void LoneChanges::renumber(const Part& was, const Part& now) {
  if (was.number == now.number) return;
  if (was.number) numbers_->erase(std::ranges::lower_bound(*numbers_, *was.number));
  if (now.number) {
    numbers_->insert(std::ranges::lower_bound(*numbers_, *now.number), *now.number);
  }
}

bool LoneChanges::shares_number(const Part& was, const Part& now) const {
  const auto others = [&](const DeviceNumber& number) {
    const auto all = static_cast<size_t>(std::ranges::equal_range(*numbers_, number).size());
    return now.number == number ? all - 1 : all;
  };
  return (was.number && others(*was.number) > 0) || (now.number && others(*now.number) > 0);
}

std::optional<std::vector<CandidateChange>> LoneChanges::candidates(const DeviceTable& devices) {
  if (!changed_) return std::nullopt;
  std::vector<std::pair<const Part*, Part>> changed;
  bool numbered = false;
  for (const auto& [key, was] : *changed_) {
    changed.emplace_back(&was, part_of(devices, key));
    numbered = numbered || was.number || changed.back().second.number;
  }
  if (numbered && !numbers_) {
    numbers_ = numbers_of(devices);
  } else if (numbered) {
    for (const auto& [was, now] : changed) renumber(*was, now);
  }
  std::vector<CandidateChange> changes;
  for (auto& [was, now] : changed) {
    if (!was->alone || !now.alone || (numbered && shares_number(*was, now))) return std::nullopt;
    if (was->unit == now.unit) continue;
    if (was->unit && now.unit && was->resource == now.resource) {
      changes.push_back({now.resource, was->unit, std::move(now.unit)});
      continue;
    }
    if (was->unit) changes.push_back({was->resource, was->unit, nullptr});
    if (now.unit) changes.push_back({now.resource, nullptr, std::move(now.unit)});
  }
  return changes;
}

void LoneChanges::taken_in(bool at_once) {
  if (at_once) numbers_.reset();  // They may not have followed.
  changed_.emplace();
}

}  // namespace patchbay::inventory
