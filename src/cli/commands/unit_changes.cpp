#include "cli/commands/unit_changes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/commands/host_discovery.h"
#include "daemon/configuration.h"

namespace patchbay::cli {
namespace {

using UnitIds = std::set<std::string, NaturalLess>;

/// By resource name.
Result<std::map<std::string, UnitIds>> units_of(const rules::PlanPtr& plan,
                                                const HostCommandOptions& host) {
  const auto options = host_options(host, *plan, false);
  if (!options) return std::unexpected(options.error());
  std::map<std::string, UnitIds> units;
  bool answered = false;
  bool pending = false;
  const auto end = run_discovery(daemon::plan_for_this_node(without_probes(plan), options->root),
                                 *options, [&](const inventory::Inventory& inventory) {
                                   answered = true;
                                   for (const auto& resource : inventory.last().resources) {
                                     UnitIds& ids = units[resource.name()];
                                     for (const inventory::Unit& unit : resource.snapshot->units) {
                                       ids.insert(unit.id);
                                     }
                                     pending = pending || !resource.unresponsive.empty();
                                   }
                                   return false;
                                 });
  if (!end) return std::unexpected(end.error());
  if (!answered) return fail("stopped before the devices were known");
  if (pending) return fail("some devices do not answer; patchbay discover names them");
  return units;
}

std::vector<std::string> missing_in(const UnitIds& from, const UnitIds& other) {
  std::vector<std::string> missing;
  std::ranges::set_difference(from, other, std::back_inserter(missing), NaturalLess{});
  return missing;
}

}  // namespace

rules::PlanPtr without_probes(const rules::PlanPtr& plan) {
  auto out = std::make_shared<rules::Plan>(*plan);
  for (rules::ResourcePlanPtr& resource : out->resources) {
    auto bare = std::make_shared<rules::ResourcePlan>(*resource);
    for (rules::GroupPlan& group : bare->groups) group.health.clear();
    resource = std::move(bare);
  }
  return out;
}

Result<std::map<std::string, UnitChanges>> unit_changes(const rules::PlanPtr& before,
                                                        const rules::PlanPtr& now,
                                                        const HostCommandOptions& host) {
  auto old_units = units_of(before, host);
  if (!old_units) return std::unexpected(old_units.error());
  auto new_units = units_of(now, host);
  if (!new_units) return std::unexpected(new_units.error());
  std::map<std::string, UnitChanges> changes;
  for (const auto& [name, ids] : *new_units) {
    changes[name].added = missing_in(ids, (*old_units)[name]);
  }
  for (const auto& [name, ids] : *old_units) {
    changes[name].removed = missing_in(ids, (*new_units)[name]);
  }
  std::erase_if(changes, [](const auto& change) {
    return change.second.added.empty() && change.second.removed.empty();
  });
  return changes;
}

}  // namespace patchbay::cli
