#include "inventory/make_unit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/whole_number.h"
#include "inventory/assemble.h"
#include "inventory/id_advice.h"
#include "inventory/unit_checks.h"
#include "inventory/unit_scope.h"
#include "inventory/unit_warnings.h"
#include "rules/text/text_use.h"

namespace patchbay::inventory {
namespace {

/// The NUMA nodes of the matched devices.
std::vector<int> nodes_of(const UnitMembers& members) {
  std::vector<int> nodes;
  for (const UnitDevice& device : members.of(0)) {
    const auto node = parse_whole<int>(device.facts->known.first(Fact::numa_node));
    if (node && *node >= 0) nodes.push_back(*node);
  }
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

Result<void> make_id_and_shares(const rules::ResourcePlan& resource, MadeUnit& made) {
  const rules::GroupPlan& group = resource.groups[made.members->group];
  UnitScope scope(resource, *made.members, {});
  auto id = group.render_id(scope.scope());
  if (!id) return fail(id.error().message + advice_on_absent_value(group, scope.scope()));
  made.id = std::move(id->text);
  made.id_source = id->source;
  if (!group.share) return {};
  scope.set_id(made.id);
  const auto shares = group.share->shares(scope.scope());
  if (!shares) return std::unexpected(shares.error());
  made.shares = *shares;
  return {};
}

/// Whether the CDI and device-info files can contain the unit.
Result<void> check_files(const rules::ResourcePlan& resource, const MadeUnit& made,
                         const Allocation& given) {
  if (resource.groups[made.members->group].writes_cdi) {
    if (rules::cdi_name_fault(resource.name + '=' + made.id)) {
      return fail(
          fmt::format("the id '{}' cannot name a CDI device: it must begin and end with a "
                      "letter or digit",
                      made.id));
    }
    if (given.devices.empty() && given.mounts.empty()) {
      return fail("cdi: write has nothing to write: the unit has no device node and no mount");
    }
  }
  if (resource.writes_device_info && made.members->pci_function() == nullptr) {
    return fail("deviceInfo: pci needs a PCI device: the device is not one and is not below one");
  }
  return {};
}

/// Renders every template of the unit once.
Result<void> try_out(const rules::ResourcePlan& resource, MadeUnit& made) {
  const Unit unit{.id = made.id,
                  .id_source = made.id_source,
                  .nodes = made.nodes,
                  .shares = made.shares,
                  .healthy = true,
                  .reason = {},
                  .members = made.members,
                  .checks = nullptr};
  const Grant grant{.unit = &unit,
                    .shares = made.shares == 0 ? std::vector<size_t>{} : std::vector<size_t>{0}};
  const auto edits = assemble(
      resource, {&grant, 1}, [](const std::string&, bool) { return true; }, Injection::all);
  if (!edits) return std::unexpected(edits.error());
  const auto given = join_edits(*edits);
  if (!given) return std::unexpected(given.error());
  if (auto fits = check_files(resource, made, *given); !fits) return fits;
  made.empty_allocation = find_empty_allocation(resource, *made.members, *given);
  auto checks = checks_of(resource, unit, *given);
  if (!checks) return std::unexpected(checks.error());
  // Most units have no checks.
  static const auto none = std::make_shared<const UnitChecks>();
  made.checks = *checks == *none ? none : std::make_shared<const UnitChecks>(*std::move(checks));
  for (const rules::StepList list : rules::kStepLists) {
    const auto steps = steps_of(resource, unit, list);
    if (!steps) return std::unexpected(steps.error());
  }
  return {};
}

}  // namespace

MadeUnitPtr make_unit(const rules::ResourcePlan& resource, UnitMembers members) {
  auto made = std::make_shared<MadeUnit>();
  made->members = std::make_shared<const UnitMembers>(std::move(members));
  made->nodes = nodes_of(*made->members);
  auto fine = make_id_and_shares(resource, *made);
  if (fine) fine = try_out(resource, *made);
  if (!fine) made->fault = std::move(fine).error().message;
  return made;
}

}  // namespace patchbay::inventory
