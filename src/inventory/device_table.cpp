#include "inventory/device_table.h"

#include <utility>

#include "inventory/assemble.h"

namespace patchbay::inventory {
namespace {

/// Makes the id and tries what a container would get.
void try_out(const rules::Plan& plan, Match& match) {
  const rules::ResourcePlan& resource = plan.resources[match.resource];
  auto id = resource.groups[match.group].render_id(
      scope_of(resource, plan.node, *match.members, match.id));
  if (!id) {
    match.fault = std::move(id.error().message);
    return;
  }
  match.id = std::move(*id);
  const Unit unit{.id = match.id, .healthy = true, .reason = {}, .members = match.members};
  const Unit* const alone = &unit;
  const auto given =
      assemble(resource, plan.node, {&alone, 1}, [](const std::string&) { return true; });
  if (!given) match.fault = given.error().message;
}

}  // namespace

std::vector<Match> matches_of(const rules::Plan& plan, const DeviceFactsPtr& facts) {
  std::vector<Match> matches;
  Captures captures;
  for (size_t resource = 0; resource < plan.resources.size(); ++resource) {
    const auto& groups = plan.resources[resource].groups;
    for (size_t group = 0; group < groups.size(); ++group) {
      if (!groups[group].match.matches(*facts, captures)) continue;
      auto members = std::make_shared<const UnitMembers>(
          UnitMembers{.group = group, .devices = {facts}, .captures = std::move(captures)});
      matches.push_back({resource, group, std::move(members), {}, {}});
      try_out(plan, matches.back());
    }
  }
  return matches;
}

}  // namespace patchbay::inventory
