#include "inventory/complete_units.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::inventory {
namespace {

/// What keeps a draft from being a unit.
struct Shortfall {
  std::vector<std::string> missing;
  std::vector<std::string> excess;
};

Shortfall shortfall_of(const rules::GroupPlan& group, const UnitDraft& draft) {
  Shortfall shortfall;
  for (Role role = 0; role < group.roles(); ++role) {
    const rules::Count& count = group.count_of(role);
    const auto has = static_cast<size_t>(std::ranges::count_if(
        draft.devices, [&](const DraftDevice& device) { return device.role == role; }));
    const std::string needed = role == 0 && count == rules::Count{}
                                   ? "1 device that matches"
                                   : fmt::format("{} {}", count.to_text(), group.name_of(role));
    std::string text = fmt::format("{}, has {}", needed, has == 0 ? "none" : std::to_string(has));
    if (has > count.most) shortfall.excess.push_back(text);
    if (has >= count.least) continue;
    for (const ClaimedElsewhere& other : draft.elsewhere) {
      if (other.role == role) text += fmt::format(" ({})", other.why);
    }
    shortfall.missing.push_back(std::move(text));
  }
  return shortfall;
}

UnitMembers members_of(const UnitDraft& draft) {
  UnitMembers members{.group = draft.group, .by = std::string(draft.by()), .devices = {}};
  for (const DraftDevice& device : draft.devices) {
    members.devices.push_back(
        {.role = device.role, .facts = device.device->facts, .captures = device.match->captures});
  }
  return members;
}

/// Whether it was made of the very facts of the draft; captures follow from these.
bool is_of(const MadeUnit& made, const UnitDraft& draft) {
  return std::ranges::equal(made.members->devices, draft.devices,
                            [](const UnitDevice& a, const DraftDevice& b) {
                              return a.facts == b.device->facts && a.role == b.role;
                            });
}

}  // namespace

MadeUnitPtr UnitCompleter::make(const UnitDraft& draft) {
  if (draft.first().match->alone) return draft.first().match->alone;
  Key key{draft.resource, draft.group, std::string(draft.by())};
  MadeUnitPtr made;
  if (const auto before = made_.find(key); before != made_.end() && is_of(*before->second, draft)) {
    made = before->second;
  } else {
    made = make_unit(*plan_, draft.resource, members_of(draft));
  }
  making_.emplace(std::move(key), made);
  return made;
}

Refusal UnitCompleter::refusal(const UnitDraft& draft) const {
  const rules::GroupPlan& group = plan_->resources[draft.resource].groups[draft.group];
  const Shortfall shortfall = shortfall_of(group, draft);
  Refusal refusal{.resource = draft.resource,
                  .group = draft.group,
                  .device = draft.first().device->facts->key,
                  .id = {},
                  .reason = {}};
  if (!shortfall.excess.empty()) {
    refusal.reason = "too many devices: needs " + join(shortfall.excess, "; ");
  } else if (!shortfall.missing.empty()) {
    refusal.reason = "incomplete: needs " + join(shortfall.missing, "; ");
    refusal.kind = Refusal::Kind::incomplete;
  }
  return refusal;
}

std::vector<std::vector<Candidate>> UnitCompleter::complete(
    const std::vector<std::vector<UnitDraft>>& drafts, std::vector<Refusal>& refusals) {
  std::vector<std::vector<Candidate>> units(drafts.size());
  for (size_t resource = 0; resource < drafts.size(); ++resource) {
    for (const UnitDraft& draft : drafts[resource]) {
      Refusal refused = draft.first().match->alone ? Refusal{} : refusal(draft);
      MadeUnitPtr made;
      if (refused.reason.empty()) {
        made = make(draft);
        refused = {resource, draft.group, draft.first().device->facts->key, made->id, made->fault};
      }
      if (refused.reason.empty()) {
        units[resource].push_back({draft.group, std::move(made)});
      } else {
        refusals.push_back(std::move(refused));
      }
    }
  }
  made_ = std::exchange(making_, {});
  return units;
}

}  // namespace patchbay::inventory
