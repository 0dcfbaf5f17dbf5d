#include "inventory/incremental_changes.h"

#include <algorithm>
#include <utility>

namespace patchbay::inventory {
namespace {

/// For more changes, a full pass costs no more.
constexpr size_t kMaxChanges = 64;

std::vector<DeviceNumber> numbers_of(const DeviceTable& devices) {
  std::vector<DeviceNumber> numbers;
  for (const auto& [key, device] : devices) {
    if (!device.matches.empty() && device.facts->number) numbers.push_back(*device.facts->number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

IncrementalChanges::SingleUnit IncrementalChanges::single_unit_of(const DeviceTable& devices,
                                                                  std::string_view device) {
  SingleUnit single;
  const auto known = devices.find(device);
  if (known == devices.end() || known->second.matches.empty()) return single;
  const auto& [facts, matches] = known->second;
  single.number = facts->number;
  single.independent = matches.size() == 1 && matches.front().standalone_unit;
  single.resource = matches.front().rule.resource;
  if (single.independent) single.unit = matches.front().standalone_unit;
  return single;
}

void IncrementalChanges::note(const DeviceTable& devices, std::string_view device) {
  if (!changed_ || changed_->contains(device)) return;
  if (changed_->size() == kMaxChanges) return changed_.reset();
  changed_->emplace(device, single_unit_of(devices, device));
}

void IncrementalChanges::renumber(const SingleUnit& was, const SingleUnit& now) {
  if (was.number == now.number) return;
  if (was.number) numbers_->erase(std::ranges::lower_bound(*numbers_, *was.number));
  if (now.number) {
    numbers_->insert(std::ranges::lower_bound(*numbers_, *now.number), *now.number);
  }
}

bool IncrementalChanges::shares_number(const SingleUnit& was, const SingleUnit& now) const {
  const auto others = [&](const DeviceNumber& number) {
    const auto all = static_cast<size_t>(std::ranges::equal_range(*numbers_, number).size());
    return now.number == number ? all - 1 : all;
  };
  return (was.number && others(*was.number) > 0) || (now.number && others(*now.number) > 0);
}

std::optional<std::vector<CandidateChange>> IncrementalChanges::candidates(
    const DeviceTable& devices) {
  if (!changed_) return std::nullopt;
  std::vector<std::pair<const SingleUnit*, SingleUnit>> changed;
  bool numbered = false;
  for (const auto& [key, was] : *changed_) {
    changed.emplace_back(&was, single_unit_of(devices, key));
    numbered = numbered || was.number || changed.back().second.number;
  }
  if (numbered && !numbers_) {
    numbers_ = numbers_of(devices);
  } else if (numbered) {
    for (const auto& [was, now] : changed) renumber(*was, now);
  }
  std::vector<CandidateChange> changes;
  for (auto& [was, now] : changed) {
    if (!was->independent || !now.independent || (numbered && shares_number(*was, now)))
      return std::nullopt;
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

void IncrementalChanges::mark_applied(bool full_pass) {
  if (full_pass) numbers_.reset();  // A full pass does not maintain them.
  changed_.emplace();
}

}  // namespace patchbay::inventory
