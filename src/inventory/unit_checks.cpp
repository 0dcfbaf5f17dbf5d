#include "inventory/unit_checks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "inventory/unit_scope.h"

namespace patchbay::inventory {
namespace {

/// Renders each item for each binding of the unit and passes it to `take(index, rendered)`.
template <typename Item, typename Take>
Result<void> render_all(const rules::ResourcePlan& resource, const Unit& unit,
                        const std::vector<Item>& items, const Take& take) {
  const rules::GroupPlan& group = resource.groups[unit.members->group];
  const Grant grant{.unit = &unit, .shares = {}};
  for (size_t index = 0; index < items.size(); ++index) {
    const auto bindings = bindings_of(group, items[index].multiplicity, grant);
    if (!bindings) return std::unexpected(bindings.error());
    for (const Binding& binding : *bindings) {
      UnitScope scope(resource, *unit.members, unit.id);
      scope.choose(binding.role, binding.index);
      auto rendered = items[index].render(scope.scope());
      if (!rendered) return std::unexpected(std::move(rendered).error());
      take(index, *std::move(rendered));
    }
  }
  return {};
}

/// The device node at the path, and the device of the unit that has it. A node that belongs to no
/// device of the unit, such as a configured path, may have any number.
NeededPath needed_node(const UnitMembers& members, const std::string& path) {
  for (const UnitDevice& device : members.devices) {
    const DeviceFacts& facts = *device.facts;
    // The number of a path that a pattern found is only the number of the current node.
    if (!facts.number || facts.kind == DeviceKind::path) continue;
    const auto links = facts.known.of(Fact::link);
    const bool link = std::ranges::find(links, std::string_view(path)) != links.end();
    if (link || facts.devnode == path) {
      return {.path = path, .device_node = true, .number = facts.number, .link = link};
    }
  }
  return {.path = path, .device_node = true};
}

}  // namespace

Result<UnitChecks> checks_of(const rules::ResourcePlan& resource, const Unit& unit,
                             const Allocation& given) {
  UnitChecks checks;
  const auto& health = resource.groups[unit.members->group].health;
  auto rendered = render_all(resource, unit, health, [&](size_t probe, auto one) {
    checks.probes.push_back({probe, std::move(one.check), std::move(one.conditions)});
  });
  if (!rendered) return fail("health", rendered.error());
  for (const AllocatedDevice& device : given.devices) {
    if (!device.optional) checks.paths.push_back(needed_node(*unit.members, device.host_path));
  }
  for (const AllocatedMount& mount : given.mounts) {
    if (!mount.optional) checks.paths.push_back({.path = mount.host_path});
  }
  std::ranges::sort(checks.paths);
  checks.paths.erase(std::ranges::unique(checks.paths).begin(), checks.paths.end());
  return checks;
}

Result<std::vector<Step>> steps_of(const rules::ResourcePlan& resource, const Unit& unit,
                                   rules::StepList list) {
  std::vector<Step> steps;
  auto rendered = render_all(resource, unit, resource.groups[unit.members->group].*list,
                             [&](size_t, Step step) { steps.push_back(std::move(step)); });
  if (!rendered) {
    return fail(list == &rules::GroupPlan::release ? "release" : "preStart", rendered.error());
  }
  return steps;
}

Result<StepsByUnit> steps_of(const Snapshot& snapshot, std::span<const std::string> ids) {
  StepsByUnit all;
  for (const std::string& id : ids) {
    const auto listed = snapshot.find_listed(id);
    if (!listed) continue;
    const Unit& unit = *listed->unit;
    auto steps = steps_of(*snapshot.resource, unit, &rules::GroupPlan::pre_start);
    if (!steps) return fail(fmt::format("unit '{}'", unit.id), steps.error());
    if (steps->empty()) continue;
    all.emplace(UnitName(snapshot.resource->name, unit.id), *std::move(steps));
  }
  return all;
}

}  // namespace patchbay::inventory
