#include "render/resource_json.h"

#include <ranges>
#include <vector>

#include "dra/omissions.h"
#include "inventory/unit_warnings.h"
#include "rules/plan/default_id.h"
#include "rules/plan/node_filter.h"

namespace patchbay::render {
namespace {

Json device_json(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                 const inventory::UnitDevice& device) {
  const rules::GroupPlan& group = snapshot.resource->groups[unit.members->group];
  const DeviceFacts& facts = *device.facts;
  Json json;
  json["role"] = snapshot.role_name(unit, device.role);
  json["key"] = facts.key;
  json["subsystem"] = facts.subsystem;
  json["devnode"] = facts.devnode;
  json["path"] = device.role < group.roles() ? group.matcher(device.role).found_path(facts) : "";
  return json;
}

}  // namespace

Json unit_json(const inventory::Snapshot& snapshot, const inventory::Unit& unit, bool reports_nodes,
               const WallClock& clock) {
  Json json;
  json["id"] = unit.id;
  json["idSource"] = rules::word(unit.id_source);
  json["shares"] = unit.shares;
  json["healthy"] = unit.healthy;
  json["reason"] = unit.reason;
  json["since"] = clock.text(unit.since);
  json["lastUnhealthyReason"] = unit.last_reason;
  if (unit.empty_allocation != inventory::EmptyAllocation::no) {
    json["emptyAllocation"] = inventory::cause_of(unit.empty_allocation);
  }
  json["numaNodes"] = reports_nodes ? unit.nodes : std::vector<int>{};
  json["members"] = Json::array();
  for (const auto& device : unit.members->devices) {
    json["members"].push_back(device_json(snapshot, unit, device));
  }
  return json;
}

void add_not_offered(const rules::Plan& plan, size_t index,
                     const inventory::ResolvedResource& resource, size_t most, Json& json) {
  json["refused"] = Json::array();
  for (const inventory::Refusal& refusal : resource.refusals | std::views::take(most)) {
    json["refused"].push_back(
        {{"kind", word_of(refusal.kind)},
         {"id", refusal.id},
         {"device", refusal.device},
         {"devnode", refusal.devnode},
         {"group", rules::configured_group_number(plan, index, refusal.group)},
         {"reason", refusal.reason}});
  }
  json["degraded"] = Json::array();
  for (const inventory::Degraded& rule : resource.degraded) {
    json["degraded"].push_back({{"group", rules::configured_group_number(plan, index, rule.group)},
                                {"pattern", rule.pattern},
                                {"reason", rule.reason}});
  }
  json["unresponsive"] = Json::array();
  for (const inventory::UnresponsivePath& pending : resource.unresponsive) {
    json["unresponsive"].push_back({{"path", pending.what}, {"reason", pending.why()}});
  }
}

void add_warnings(const inventory::ResolvedResource& resource, Json& json) {
  const auto add = [&](const std::vector<inventory::UnitWarning>& warnings) {
    for (const inventory::UnitWarning& warning : warnings) {
      json["warnings"].push_back(
          {{"reason", warning.reason}, {"units", warning.units}, {"count", warning.count}});
    }
  };
  add(inventory::warnings_of(resource));
  add(dra::omission_warnings(*resource.snapshot));
}

Json resource_json(const rules::Plan& plan, size_t index,
                   const inventory::ResolvedResource& resource, const WallClock& clock) {
  const inventory::Snapshot& snapshot = *resource.snapshot;
  Json json;
  json["name"] = snapshot.resource->name;
  json["description"] = snapshot.resource->description;
  json["units"] = Json::array();
  const bool reports_nodes = snapshot.reports_nodes();
  for (const auto& unit : snapshot.units) {
    json["units"].push_back(unit_json(snapshot, unit, reports_nodes, clock));
  }
  add_not_offered(plan, index, resource, resource.refusals.size(), json);
  add_warnings(resource, json);
  return json;
}

}  // namespace patchbay::render
