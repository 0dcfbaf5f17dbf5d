#include "inventory/complete_units.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

UnitMembers members_of(const UnitDraft& draft) {
  UnitMembers members{.group = draft.group, .by = std::string(draft.by()), .devices = {}};
  for (const DraftDevice& device : draft.devices) {
    members.devices.push_back(
        {.role = device.role, .facts = device.device->facts, .captures = device.match->captures()});
  }
  return members;
}

/// Whether the unit was made from the same facts objects as the draft. Captures depend only on
/// facts.
bool is_of(const MadeUnit& made, const UnitDraft& draft) {
  return made.members->group == draft.group &&
         std::ranges::equal(made.members->devices, draft.devices,
                            [](const UnitDevice& a, const DraftDevice& b) {
                              return a.facts == b.device->facts && a.role == b.role;
                            });
}

}  // namespace

MadeUnitPtr UnitCompleter::make(const UnitDraft& draft) const {
  const auto [first, last] = made_[draft.resource].equal_range(draft.first().device->facts.get());
  const auto before =
      std::find_if(first, last, [&](const auto& made) { return is_of(*made.second, draft); });
  return before != last ? before->second
                        : make_unit(*plan_->resources[draft.resource], members_of(draft));
}

std::string UnitCompleter::exclusion_note(const UnitDraft& draft, Role role,
                                          const Claims& claims) const {
  std::string text;
  for (const CompetingClaim& other : draft.competing) {
    if (other.role == role) text += fmt::format(" ({})", other.why);
  }
  const auto orphaned =
      claims.orphaned.find(plan_->index.representative({draft.resource, draft.group, role}));
  if (orphaned == claims.orphaned.end()) return text;
  // Most of these devices may be unrelated to the unit, so the note names the fault of one.
  const auto& [rule, devices] = *orphaned;
  const std::string more =
      devices.size() > 1 ? fmt::format("; likewise {} more", devices.size() - 1) : "";
  return text + fmt::format(" ({} matches, but {}{})",
                            printable(devices.front().device->facts->key),
                            devices.front().match->fault(), more);
}

std::optional<Refusal> UnitCompleter::refusal(const UnitDraft& draft, const Claims& claims) const {
  const rules::GroupPlan& group = plan_->resources[draft.resource]->groups[draft.group];
  std::vector<std::string> missing;
  std::vector<std::string> excess;
  for (Role role = 0; role < group.roles(); ++role) {
    const rules::SizeRange& size = group.size_of(role);
    const auto has = static_cast<size_t>(
        std::ranges::count(draft.devices, role, [](const DraftDevice& d) { return d.role; }));
    if (has >= size.min && has <= size.max) continue;
    const std::string number = size == rules::SizeRange{} ? "1" : size.to_text();
    const std::string needed = role == 0 && size == rules::SizeRange{1, 1}
                                   ? "1 device that matches"
                                   : fmt::format("{} {}", number, group.name_of(role));
    std::string text = fmt::format("{}, has {}", needed, has == 0 ? "none" : std::to_string(has));
    if (has < size.min) text += exclusion_note(draft, role, claims);
    (has < size.min ? missing : excess).push_back(std::move(text));
  }
  if (excess.empty() && missing.empty()) return std::nullopt;
  const DeviceFacts& facts = *draft.first().device->facts;
  Refusal refusal{.group = draft.group, .device = facts.key, .devnode = facts.devnode};
  if (!excess.empty()) {
    refusal.reason = "too many devices: needs " + join(excess, "; ");
  } else {
    refusal.reason = "incomplete: needs " + join(missing, "; ");
    refusal.kind = Refusal::Kind::incomplete;
  }
  return refusal;
}

std::vector<MadeUnits> UnitCompleter::complete(const Claims& claims, RefusalsByResource& refusals) {
  const auto& drafts = claims.by_resource;
  std::vector<MadeUnits> units(drafts.size());
  for (size_t resource = 0; resource < drafts.size(); ++resource) {
    UnitsByDevice making;
    units[resource].reserve(drafts[resource].size());
    for (const UnitDraft& draft : drafts[resource]) {
      MadeUnitPtr made = draft.first().match->standalone_unit;
      if (!made) {
        if (auto refused = refusal(draft, claims)) {
          refusals[resource].push_back(*std::move(refused));
          continue;
        }
        made = make(draft);
        making.emplace(draft.first().device->facts.get(), made);
      }
      if (made->fault.empty()) {
        units[resource].push_back(std::move(made));
      } else {
        const DeviceFacts& facts = *draft.first().device->facts;
        refusals[resource].push_back({.group = draft.group,
                                      .device = facts.key,
                                      .devnode = facts.devnode,
                                      .id = made->id,
                                      .reason = made->fault});
      }
    }
    made_[resource] = std::move(making);
  }
  return units;
}

}  // namespace patchbay::inventory
