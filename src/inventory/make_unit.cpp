#include "inventory/make_unit.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "inventory/assemble.h"
#include "inventory/unit_checks.h"
#include "inventory/unit_scope.h"

namespace patchbay::inventory {
namespace {

/// Of the devices that match.
std::vector<int> nodes_of(const UnitMembers& members) {
  std::vector<int> nodes;
  for (const UnitDevice& device : members.of(0)) {
    const std::string& text = device.facts->numa_node;
    int node = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
    if (error == std::errc{} && end == text.data() + text.size() && node >= 0) {
      nodes.push_back(node);
    }
  }
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

Result<void> identify(const rules::Plan& plan, const rules::ResourcePlan& resource,
                      MadeUnit& made) {
  const rules::GroupPlan& group = resource.groups[made.members->group];
  UnitScope scope(resource, plan.node, *made.members, {});
  auto id = group.render_id(scope.scope());
  if (!id) return std::unexpected(std::move(id).error());
  made.id = std::move(id->text);
  made.id_source = id->source;
  if (!group.share) return {};
  scope.set_id(made.id);
  const auto parts = group.share->parts(scope.scope());
  if (!parts) return std::unexpected(parts.error());
  made.parts = *parts;
  return {};
}

/// Renders all that will be rendered for the unit.
Result<void> try_out(const rules::Plan& plan, const rules::ResourcePlan& resource, MadeUnit& made) {
  const Unit unit{.id = made.id,
                  .id_source = made.id_source,
                  .nodes = made.nodes,
                  .parts = made.parts,
                  .healthy = true,
                  .reason = {},
                  .members = made.members,
                  .checks = nullptr};
  const Grant grant{.unit = &unit,
                    .parts = made.parts == 0 ? std::vector<size_t>{} : std::vector<size_t>{0}};
  const auto given =
      assemble(resource, plan.node, {&grant, 1}, [](const std::string&) { return true; });
  if (!given) return std::unexpected(given.error());
  auto checks = checks_of(resource, plan.node, unit, *given);
  if (!checks) return std::unexpected(checks.error());
  made.checks = std::make_shared<const UnitChecks>(*std::move(checks));
  const auto steps = steps_of(resource, plan.node, unit);
  if (!steps) return std::unexpected(steps.error());
  return {};
}

}  // namespace

MadeUnitPtr make_unit(const rules::Plan& plan, size_t resource, UnitMembers members) {
  auto made = std::make_shared<MadeUnit>();
  made->members = std::make_shared<const UnitMembers>(std::move(members));
  made->nodes = nodes_of(*made->members);
  auto fine = identify(plan, plan.resources[resource], *made);
  if (fine) fine = try_out(plan, plan.resources[resource], *made);
  if (!fine) made->fault = std::move(fine).error().message;
  return made;
}

}  // namespace patchbay::inventory
