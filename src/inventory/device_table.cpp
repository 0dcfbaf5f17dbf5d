#include "inventory/device_table.h"

#include <algorithm>
#include <utility>

#include "inventory/unresponsive_paths.h"

namespace patchbay::inventory {
namespace {

/// Determines the group text of the device. A device of a group without `by` is a unit.
void complete(const rules::Plan& plan, const DeviceFactsPtr& facts, Captures captures,
              Match& match) {
  const rules::ResourcePlan& resource = *plan.resources[match.rule.resource];
  const rules::GroupPlan& group = resource.groups[match.rule.group];
  const rules::Template* by = group.by_of(match.rule.role);
  if (by == nullptr) {
    UnitMembers members{.group = match.rule.group, .by = {}, .devices = {}};
    members.devices.push_back({.role = 0, .facts = facts, .captures = std::move(captures)});
    match.standalone_unit = make_unit(resource, std::move(members));
    return;
  }
  auto shared_grouping = std::make_shared<Grouping>(Grouping{.captures = std::move(captures)});
  rules::RenderScope scope;
  scope.device = {.facts = facts.get(),
                  .captures = &shared_grouping->captures,
                  .path = group.matcher(match.rule.role).found_path(*facts)};
  scope.resource = resource.name;
  scope.node = resource.node;
  auto text = by->render(scope);
  (text ? shared_grouping->by : shared_grouping->fault) =
      text ? *std::move(text) : std::move(text).error().message;
  match.shared_grouping = std::move(shared_grouping);
}

/// Null: no such match.
const Match* same_match(const rules::Plan& plan, const rules::Rule& rule,
                        const PreviousDevice& before) {
  const auto& resource = plan.resources[rule.resource];
  const auto same = std::ranges::find_if(before.device.matches, [&](const Match& match) {
    return before.plan.resources[match.rule.resource] == resource &&
           match.rule.group == rule.group && match.rule.role == rule.role;
  });
  return same == before.device.matches.end() ? nullptr : &*same;
}

}  // namespace

const Grouping& Match::grouping() const {
  static const Grouping to_none;
  return shared_grouping ? *shared_grouping : to_none;
}

std::vector<Match> matches_of(const rules::Plan& plan, const DeviceFactsPtr& facts,
                              const PreviousDevice* before) {
  std::vector<Match> matches;
  Captures captures;
  const auto undecided = rules_with_unread_facts(plan, *facts);
  for (const rules::Rule& rule : plan.index.candidates(*facts)) {
    if (std::ranges::find(undecided, rule) != undecided.end()) continue;
    const rules::GroupPlan& group = plan.group(rule);
    if (!group.matcher(rule.role).matches(*facts, captures)) continue;
    if (const Match* same = before != nullptr ? same_match(plan, rule, *before) : nullptr) {
      matches.push_back(*same);
      matches.back().rule = rule;
      captures = {};
      continue;
    }
    matches.push_back({.rule = rule});
    complete(plan, facts, std::exchange(captures, {}), matches.back());
  }
  return matches;
}

}  // namespace patchbay::inventory
