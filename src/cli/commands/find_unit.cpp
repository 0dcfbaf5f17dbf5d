#include "cli/commands/find_unit.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::cli {
namespace {

/// A few of the known names, as help.
std::string some_of(const std::vector<std::string>& known) {
  constexpr size_t kShown = 5;
  if (known.empty()) return "; it has none";
  const std::vector<std::string> first(
      known.begin(), known.begin() + static_cast<ptrdiff_t>(std::min(known.size(), kShown)));
  const size_t more = known.size() - first.size();
  return fmt::format("; it has {}{}", join(first, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

/// The unit with a device of that name or path; null if there is none.
const inventory::Unit* unit_with_device(const inventory::Snapshot& snapshot,
                                        const std::string& device) {
  const auto holds = [&](const inventory::Unit& unit) {
    return std::ranges::any_of(unit.members->devices, [&](const inventory::UnitDevice& member) {
      const DeviceFacts& facts = *member.facts;
      return facts.key == device || facts.devnode == device || facts.name == device;
    });
  };
  const auto found = std::ranges::find_if(snapshot.units, holds);
  return found == snapshot.units.end() ? nullptr : &*found;
}

/// The error for an unknown unit of the resource.
Error no_unit(const inventory::Snapshot& snapshot, const std::string& id) {
  std::vector<std::string> known;
  for (const inventory::Unit& unit : snapshot.units) {
    for (size_t part = 0; part < unit.listed(); ++part) known.push_back(unit.listed_id(part));
  }
  const std::string text =
      fmt::format("{} has no unit '{}'", snapshot.resource->name, printable(id));
  if (const inventory::Unit* owner = unit_with_device(snapshot, id)) {
    return {fmt::format("{}; the unit with that device is '{}'", text, owner->listed_id(0))};
  }
  const std::string meant = did_you_mean(id, known);
  return {text + (meant.empty() ? some_of(known) : meant)};
}

/// The error for an unknown resource.
Error no_resource(const rules::Plan& plan, const std::string& name) {
  std::vector<std::string> known;
  for (const rules::ResourcePlanPtr& resource : plan.resources) {
    known.push_back(resource->name);
    known.emplace_back(base_name(resource->name));
  }
  for (const rules::Excluded& left : plan.excluded) {
    if (left.resource != name && base_name(left.resource) != name) continue;
    return {fmt::format("{} is excluded on this node: {}", left.resource,
                        rules::summary(left.reasons))};
  }
  return {fmt::format("there is no resource '{}'", printable(name)) + did_you_mean(name, known)};
}

/// The reason why a unit with that id is not offered; nullopt if no device has the id.
std::optional<std::string> refusal(const inventory::Refusals& refusals, const std::string& id) {
  const auto split = inventory::split_share_id(id);
  for (const inventory::Refusal& refusal : refusals) {
    if (refusal.id.empty()) continue;
    if (refusal.id == id || (split && refusal.id == split->unit)) return refusal.reason;
  }
  return std::nullopt;
}

std::string parts_of(const inventory::Unit& unit) {
  const std::string first = fmt::format("'{}'", unit.listed_id(0));
  return unit.shares == 1 ? first
                          : fmt::format("one of {} … '{}'", first, unit.listed_id(unit.shares - 1));
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto nearest = nearest_word(word, candidates);
  return nearest ? fmt::format("; did you mean '{}'?", *nearest) : "";
}

Result<size_t> find_resource(const rules::Plan& plan, const std::string& name) {
  std::vector<std::string> fitting;
  size_t found = 0;
  for (size_t i = 0; i < plan.resources.size(); ++i) {
    const std::string& whole = plan.resources[i]->name;
    if (whole == name) return i;
    if (base_name(whole) != name) continue;
    fitting.push_back(whole);
    found = i;
  }
  if (fitting.size() == 1) return found;
  if (fitting.empty()) return std::unexpected(no_resource(plan, name));
  return fail(
      fmt::format("'{}' is ambiguous ({}): give the whole name", name, join(fitting, " or ")));
}

Result<void> check_unit(const inventory::Resolution& resolution, size_t resource,
                        const std::string& id) {
  const inventory::Snapshot& snapshot = *resolution.resources[resource].snapshot;
  const std::string& name = snapshot.resource->name;
  if (const auto listed = snapshot.find_listed(id)) {
    if (listed->unit->healthy) return {};
    return fail(fmt::format("unit '{}' of {} is unhealthy: {}", id, name, listed->unit->reason));
  }
  if (const inventory::Unit* shared = snapshot.find(id)) {
    return fail(fmt::format("unit '{}' of {} is shared: name {}", id, name, parts_of(*shared)));
  }
  if (const auto reason = refusal(resolution.resources[resource].refusals, id)) {
    return fail(fmt::format("unit '{}' of {} is not offered: {}", printable(id), name,
                            printable(*reason, 1000)));
  }
  return std::unexpected(no_unit(snapshot, id));
}

}  // namespace patchbay::cli
