#include "cli/resolution_view.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/mismatch_view.h"
#include "rules/default_id.h"
#include "rules/for_node.h"

namespace patchbay::cli {
namespace {

/// Of a device that may have gone.
std::string place_of_key(const std::string& key, const inventory::DeviceTable& devices, bool wide) {
  const auto found = devices.find(key);
  return found == devices.end() ? shown(key) : place_of(*found->second.facts, wide);
}

/// The member's name; empty for what the group itself matches.
std::string_view role_name(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                           inventory::Role role) {
  const auto& members = snapshot.resource->groups[unit.members->group].members;
  return role == 0 || role > members.size() ? std::string_view{} : members[role - 1].name;
}

std::string places_of(const inventory::Snapshot& snapshot, const inventory::Unit& unit, bool wide) {
  std::string places;
  for (const auto& device : unit.members->devices) {
    if (!places.empty()) places += ' ';
    if (const auto role = role_name(snapshot, unit, device.role); !role.empty()) {
      places += std::string(role) + '=';
    }
    places += place_of(*device.facts, wide);
  }
  return places;
}

std::string_view word(inventory::Refusal::Kind kind) {
  switch (kind) {
    case inventory::Refusal::Kind::refused:
      return "refused";
    case inventory::Refusal::Kind::incomplete:
      return "incomplete";
    case inventory::Refusal::Kind::claimed:
      return "claimed";
  }
  return "";
}

/// Also of a unit that is healthy again.
std::string reason_of(const inventory::Unit& unit) {
  if (!unit.healthy || unit.last_reason.empty()) return shown(unit.reason);
  return "was: " + shown(unit.last_reason);
}

std::string why_empty(const inventory::ResolvedResource& resource) {
  std::set<std::string_view> kinds;
  for (const inventory::Refusal& refusal : resource.refusals) kinds.insert(word(refusal.kind));
  if (kinds.empty()) return resource.pending.empty() ? "no device matches" : "pending";
  return kinds.size() == 1 ? fmt::format("all {}", *kinds.begin()) : "none offered";
}

/// The NUMA nodes that the kubelet is told of the unit.
std::vector<int> told_nodes(const inventory::Snapshot& snapshot, const inventory::Unit& unit) {
  return snapshot.tells_nodes() ? unit.nodes : std::vector<int>{};
}

bool any_nodes(const inventory::Resolution& resolution) {
  return std::ranges::any_of(resolution.resources, [](const auto& resource) {
    return std::ranges::any_of(resource.snapshot->units, [&](const inventory::Unit& unit) {
      return !told_nodes(*resource.snapshot, unit).empty();
    });
  });
}

/// Whether some unit is listed more than once.
bool any_shared(const inventory::Resolution& resolution) {
  return std::ranges::any_of(resolution.resources, [](const auto& resource) {
    return std::ranges::any_of(resource.snapshot->units,
                               [](const auto& unit) { return unit.parts > 0; });
  });
}

Style style_of(inventory::Refusal::Kind kind) {
  return kind == inventory::Refusal::Kind::refused ? Style::bad : Style::warning;
}

Table unit_table(const inventory::Resolution& resolution, const ResolutionLook& look) {
  Table table{.columns = {{.title = "RESOURCE", .least = 12, .keeps_end = true},
                          {.title = "UNIT", .least = 8},
                          {.title = "STATE"},
                          {.title = "SINCE"},
                          {.title = "SHARES"},
                          {.title = "NUMA"},
                          {.title = "DEVICE", .least = 10, .keeps_end = true},
                          {.title = "ID FROM", .leaves = true},
                          {.title = "REASON", .least = 16}},
              .rows = {}};
  for (const auto& resource : resolution.resources) {
    const auto& snapshot = resource.snapshot;
    const std::string& name = resource.name();
    for (const inventory::Unit& unit : snapshot->units) {
      table.rows.push_back(
          {name, unit.id,
           unit.healthy ? Cell("healthy", Style::good) : Cell("unhealthy", Style::bad),
           look.since ? look.since(unit.since) : "",
           unit.parts == 0 ? "" : std::to_string(unit.parts),
           fmt::format("{}", fmt::join(told_nodes(*snapshot, unit), ",")),
           places_of(*snapshot, unit, look.wide), std::string(rules::word(unit.id_source)),
           reason_of(unit)});
    }
    if (snapshot->units.empty()) {
      table.rows.push_back({name, "-", Cell(why_empty(resource), Style::warning)});
    }
  }
  if (!look.since) table.drop("SINCE");
  if (!any_shared(resolution)) table.drop("SHARES");
  if (!any_nodes(resolution)) table.drop("NUMA");
  return table;
}

Table refusal_table(const inventory::Inventory& inventory, bool wide) {
  Table table{.columns = {{.title = "NOT OFFERED BY", .least = 14, .keeps_end = true},
                          {.title = "KIND"},
                          {.title = "UNIT", .least = 8},
                          {.title = "DEVICE", .least = 10, .keeps_end = true},
                          {.title = "REASON", .least = 16}},
              .rows = {}};
  for (const auto& resource : inventory.last().resources) {
    for (const inventory::Refusal& refusal : resource.refusals) {
      table.rows.push_back(
          {resource.name(), Cell(std::string(word(refusal.kind)), style_of(refusal.kind)),
           refusal.id.empty() ? "-" : shown(refusal.id),
           place_of_key(refusal.device, inventory.devices(), wide), shown(refusal.reason)});
    }
  }
  return table;
}

Table degraded_table(const rules::Plan& plan, const inventory::Resolution& resolution) {
  Table table{.columns = {{.title = "DEGRADED", .least = 14, .keeps_end = true},
                          {.title = "GROUP"},
                          {.title = "PATTERN", .least = 10},
                          {.title = "REASON", .least = 16}},
              .rows = {}};
  for (size_t resource = 0; resource < resolution.resources.size(); ++resource) {
    for (const inventory::Degraded& rule : resolution.resources[resource].degraded) {
      const size_t group = rules::written_group(plan, resource, rule.group);
      table.rows.push_back({plan.resources[resource]->name,
                            group == 0 ? "-" : std::to_string(group), shown(rule.pattern),
                            Cell(shown(rule.reason), Style::warning)});
    }
  }
  return table;
}

Table pending_table(const inventory::Resolution& resolution) {
  Table table{.columns = {{.title = "PENDING", .least = 14, .keeps_end = true},
                          {.title = "REASON", .least = 16}},
              .rows = {}};
  for (const auto& resource : resolution.resources) {
    for (const inventory::Pending& pending : resource.pending) {
      table.rows.push_back(
          {resource.name(), Cell(shown(pending.what) + " does not answer", Style::warning)});
    }
  }
  return table;
}

Table left_out_table(const rules::Plan& plan) {
  Table table{.columns = {{.title = "NOT FOR THIS NODE", .least = 17, .keeps_end = true},
                          {.title = "GROUP"},
                          {.title = "REASON", .least = 16},
                          {.title = "AT", .least = 12, .keeps_end = true}},
              .rows = {}};
  for (const rules::LeftOut& left : plan.left_out) {
    const size_t group = rules::written_group(plan, left);
    table.rows.push_back({left.resource, group == 0 ? "-" : std::to_string(group),
                          rules::summary(left.reasons), place_text(left.at)});
  }
  return table;
}

/// What is offered, but may surprise.
std::string warnings(const inventory::Resolution& resolution, const TableLook& look) {
  std::string text;
  for (const auto& resource : resolution.resources) {
    const auto count = static_cast<size_t>(std::ranges::count(
        resource.snapshot->units, rules::IdSource::kernel_name, &inventory::Unit::id_source));
    if (count == 0) continue;
    const std::string warning = fmt::format(
        "warning: {}: {} from the kernel's name, which changes when devices come in another order: "
        "give the group an id",
        resource.name(), count == 1 ? "1 unit has an id" : fmt::format("{} units have ids", count));
    const std::string lines = folded(warning + '\n', look.width);
    const size_t word = lines.find(' ');
    text += colored(lines.substr(0, word), Style::warning, look.color) + lines.substr(word);
  }
  return text;
}

Json device_json(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                 const inventory::UnitDevice& device) {
  const rules::GroupPlan& group = snapshot.resource->groups[unit.members->group];
  const DeviceFacts& facts = *device.facts;
  Json json;
  json["role"] = role_name(snapshot, unit, device.role);
  json["key"] = facts.key;
  json["subsystem"] = facts.subsystem;
  json["devnode"] = facts.devnode;
  json["path"] = device.role < group.roles() ? group.matcher(device.role).found_path(facts) : "";
  return json;
}

Json unit_json(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
               const WallClock& clock) {
  Json json;
  json["id"] = unit.id;
  json["idFrom"] = rules::word(unit.id_source);
  json["shares"] = unit.parts;
  json["healthy"] = unit.healthy;
  json["reason"] = unit.reason;
  json["since"] = clock.text(unit.since);
  json["lastReason"] = unit.last_reason;
  json["numaNodes"] = told_nodes(snapshot, unit);
  json["members"] = Json::array();
  for (const auto& device : unit.members->devices) {
    json["members"].push_back(device_json(snapshot, unit, device));
  }
  return json;
}

Json resource_json(const rules::Plan& plan, const inventory::Resolution& resolution, size_t index,
                   const WallClock& clock) {
  const inventory::ResolvedResource& resource = resolution.resources[index];
  const inventory::Snapshot& snapshot = *resource.snapshot;
  Json json;
  json["name"] = snapshot.resource->name;
  json["description"] = snapshot.resource->description;
  json["units"] = Json::array();
  for (const auto& unit : snapshot.units) {
    json["units"].push_back(unit_json(snapshot, unit, clock));
  }
  json["refused"] = Json::array();
  for (const inventory::Refusal& refusal : resource.refusals) {
    json["refused"].push_back({{"kind", word(refusal.kind)},
                               {"id", refusal.id},
                               {"device", refusal.device},
                               {"group", rules::written_group(plan, index, refusal.group)},
                               {"reason", refusal.reason}});
  }
  json["degraded"] = Json::array();
  for (const inventory::Degraded& rule : resource.degraded) {
    json["degraded"].push_back({{"group", rules::written_group(plan, index, rule.group)},
                                {"pattern", rule.pattern},
                                {"reason", rule.reason}});
  }
  json["pending"] = Json::array();
  for (const inventory::Pending& pending : resource.pending) {
    json["pending"].push_back({{"path", pending.what}, {"reason", "does not answer"}});
  }
  return json;
}

}  // namespace

std::string resolution_table(const inventory::Inventory& inventory,
                             const std::vector<NothingFound>& nothing, const ResolutionLook& look) {
  const rules::Plan& plan = *inventory.plan();
  const inventory::Resolution& resolution = inventory.last();
  std::string text = format_table(unit_table(resolution, look), look.table);
  for (const Table& table : {refusal_table(inventory, look.wide), degraded_table(plan, resolution),
                             pending_table(resolution)}) {
    if (!table.rows.empty()) text += "\n" + format_table(table, look.table);
  }
  if (!plan.left_out.empty()) text += "\n" + format_table(left_out_table(plan), look.table);
  if (!nothing.empty()) {
    text += "\n" + folded(nothing_found_text(plan, nothing, look.wide), look.table.width);
  }
  if (const std::string more = warnings(resolution, look.table); !more.empty()) {
    text += "\n" + more;
  }
  return text;
}

std::string resolution_json(const rules::Plan& plan, const inventory::Resolution& resolution,
                            const std::vector<NothingFound>& nothing, JsonLayout layout,
                            const WallClock& clock) {
  Json json;
  json["resources"] = Json::array();
  for (size_t i = 0; i < resolution.resources.size(); ++i) {
    json["resources"].push_back(resource_json(plan, resolution, i, clock));
  }
  json["notForThisNode"] = left_out_json(plan);
  json["noDeviceMatches"] = nothing_found_json(plan, nothing);
  return json_text(json, layout == JsonLayout::one_line ? -1 : 2);
}

}  // namespace patchbay::cli
