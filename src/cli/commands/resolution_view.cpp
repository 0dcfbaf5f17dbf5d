#include "cli/commands/resolution_view.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/mismatch_view.h"
#include "cli/commands/unmatched_view.h"
#include "inventory/unit_warnings.h"
#include "render/resource_json.h"
#include "render/rule_json.h"
#include "rules/plan/default_id.h"
#include "rules/plan/node_filter.h"

namespace patchbay::cli {
namespace {

/// Also for a device that was removed.
std::string location_of_key(const std::string& key, const inventory::DeviceTable& devices,
                            bool wide) {
  const auto found = devices.find(key);
  return found == devices.end() ? shown(key) : location_of(*found->second.facts, wide);
}

std::string locations_of(const inventory::Snapshot& snapshot, const inventory::Unit& unit,
                         bool wide) {
  std::string locations;
  for (const auto& device : unit.members->devices) {
    if (!locations.empty()) locations += ' ';
    if (const auto role = snapshot.role_name(unit, device.role); !role.empty()) {
      locations += std::string(role) + '=';
    }
    locations += location_of(*device.facts, wide);
  }
  return locations;
}

/// Also for a unit that is healthy again.
std::string reason_of(const inventory::Unit& unit) {
  if (unit.healthy && unit.empty_allocation != inventory::EmptyAllocation::no) {
    return "gives a container nothing";
  }
  if (!unit.healthy || unit.last_reason.empty()) return shown(unit.reason);
  return "was: " + shown(unit.last_reason);
}

std::string empty_reason(const inventory::ResolvedResource& resource) {
  std::set<std::string_view> kinds;
  for (const inventory::Refusal& refusal : resource.refusals) kinds.insert(word_of(refusal.kind));
  if (kinds.empty()) return resource.unresponsive.empty() ? "no device matches" : "unresponsive";
  return kinds.size() == 1 ? fmt::format("all {}", *kinds.begin()) : "none offered";
}

bool any_nodes(const inventory::Resolution& resolution) {
  return std::ranges::any_of(resolution.resources, [](const auto& resource) {
    return std::ranges::any_of(resource.snapshot->units, [&](const inventory::Unit& unit) {
      return !resource.snapshot->reported_nodes(unit).empty();
    });
  });
}

/// Whether a unit is listed more than once.
bool any_shared(const inventory::Resolution& resolution) {
  return std::ranges::any_of(resolution.resources, [](const auto& resource) {
    return std::ranges::any_of(resource.snapshot->units,
                               [](const auto& unit) { return unit.shares > 0; });
  });
}

Style style_of(inventory::Refusal::Kind kind) {
  return kind == inventory::Refusal::Kind::refused ? Style::bad : Style::warning;
}

Table unit_table(const inventory::Resolution& resolution, const ResolutionLayout& layout) {
  Table table{.columns = {{.title = "RESOURCE", .min_width = 12, .keeps_end = true},
                          {.title = "UNIT", .min_width = 8},
                          {.title = "STATE"},
                          {.title = "SINCE"},
                          {.title = "SHARES"},
                          {.title = "NUMA"},
                          {.title = "DEVICE", .min_width = 10, .keeps_end = true},
                          {.title = "ID FROM", .droppable = true},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  for (const auto& resource : resolution.resources) {
    const auto& snapshot = resource.snapshot;
    const std::string& name = resource.name();
    for (const inventory::Unit& unit : snapshot->units) {
      table.rows.push_back(
          {name, unit.id,
           unit.healthy ? Cell("healthy", Style::good) : Cell("unhealthy", Style::bad),
           layout.since ? layout.since(unit.since) : "",
           unit.shares == 0 ? "" : std::to_string(unit.shares),
           fmt::format("{}", fmt::join(snapshot->reported_nodes(unit), ",")),
           locations_of(*snapshot, unit, layout.wide), std::string(rules::word(unit.id_source)),
           reason_of(unit)});
    }
    if (snapshot->units.empty()) {
      table.rows.push_back({name, "-", Cell(empty_reason(resource), Style::warning)});
    }
  }
  if (!layout.since) table.drop("SINCE");
  if (!any_shared(resolution)) table.drop("SHARES");
  if (!any_nodes(resolution)) table.drop("NUMA");
  return table;
}

Table refusal_table(const inventory::Inventory& inventory, bool wide) {
  Table table{.columns = {{.title = "NOT OFFERED BY", .min_width = 14, .keeps_end = true},
                          {.title = "KIND"},
                          {.title = "UNIT", .min_width = 8},
                          {.title = "DEVICE", .min_width = 10, .keeps_end = true},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  for (const auto& resource : inventory.last().resources) {
    for (const inventory::Refusal& refusal : resource.refusals) {
      table.rows.push_back(
          {resource.name(), Cell(std::string(word_of(refusal.kind)), style_of(refusal.kind)),
           refusal.id.empty() ? "-" : shown(refusal.id),
           location_of_key(refusal.device, inventory.devices(), wide), shown(refusal.reason)});
    }
  }
  return table;
}

Table degraded_table(const rules::Plan& plan, const inventory::Resolution& resolution) {
  Table table{.columns = {{.title = "DEGRADED", .min_width = 14, .keeps_end = true},
                          {.title = "GROUP"},
                          {.title = "PATTERN", .min_width = 10},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  for (size_t resource = 0; resource < resolution.resources.size(); ++resource) {
    for (const inventory::Degraded& rule : resolution.resources[resource].degraded) {
      const size_t group = rules::configured_group_number(plan, resource, rule.group);
      table.rows.push_back({plan.resources[resource]->name,
                            group == 0 ? "-" : std::to_string(group), shown(rule.pattern),
                            Cell(shown(rule.reason), Style::warning)});
    }
  }
  return table;
}

Table pending_table(const inventory::Resolution& resolution) {
  Table table{.columns = {{.title = "UNRESPONSIVE", .min_width = 14, .keeps_end = true},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  for (const auto& resource : resolution.resources) {
    for (const inventory::UnresponsivePath& pending : resource.unresponsive) {
      table.rows.push_back(
          {resource.name(),
           Cell(shown(pending.what) + ' ' + std::string(pending.why()), Style::warning)});
    }
  }
  return table;
}

Table excluded_table(const rules::Plan& plan) {
  Table table{.columns = {{.title = "EXCLUDED", .min_width = 17, .keeps_end = true},
                          {.title = "GROUP"},
                          {.title = "REASON", .min_width = 16},
                          {.title = "AT", .min_width = 12, .keeps_end = true}},
              .rows = {}};
  for (const rules::Excluded& left : plan.excluded) {
    const size_t group = rules::configured_group_number(plan, left);
    table.rows.push_back({left.resource, group == 0 ? "-" : std::to_string(group),
                          rules::summary(left.reasons), position_text(left.at)});
  }
  return table;
}

/// Warnings about offered units.
std::string warnings(const inventory::Resolution& resolution, const TableLayout& layout) {
  std::string text;
  const auto warn = [&](const std::string& resource, const std::string& reason) {
    const std::string lines =
        folded(fmt::format("warning: {}: {}\n", resource, reason), layout.width);
    const size_t word = lines.find(' ');
    text += colored(lines.substr(0, word), Style::warning, layout.color) + lines.substr(word);
  };
  for (const auto& resource : resolution.resources) {
    for (const auto& warning : inventory::warnings_of(resource)) {
      warn(resource.name(), warning.reason);
    }
    const auto count = static_cast<size_t>(std::ranges::count(
        resource.snapshot->units, rules::IdSource::kernel_name, &inventory::Unit::id_source));
    if (count == 0) continue;
    warn(resource.name(),
         fmt::format("{} from the kernel's name, which depends on the order of detection: give the "
                     "group an id",
                     count == 1 ? "1 unit has an id" : fmt::format("{} units have ids", count)));
  }
  return text;
}

}  // namespace

std::string resolution_table(const inventory::Inventory& inventory,
                             const std::vector<status::UnmatchedGroup>& unmatched,
                             const ResolutionLayout& layout) {
  const rules::Plan& plan = *inventory.plan();
  const inventory::Resolution& resolution = inventory.last();
  std::string text = format_table(unit_table(resolution, layout), layout.table);
  for (const Table& table : {refusal_table(inventory, layout.wide),
                             degraded_table(plan, resolution), pending_table(resolution)}) {
    if (!table.rows.empty()) text += "\n" + format_table(table, layout.table);
  }
  if (!plan.excluded.empty()) text += "\n" + format_table(excluded_table(plan), layout.table);
  if (!unmatched.empty()) {
    text += "\n" + folded(unmatched_text(plan, unmatched, layout.wide), layout.table.width);
  }
  if (const std::string more = warnings(resolution, layout.table); !more.empty()) {
    text += "\n" + more;
  }
  return text;
}

std::string resolution_json(const rules::Plan& plan, const inventory::Resolution& resolution,
                            const std::vector<status::UnmatchedGroup>& unmatched, JsonLayout layout,
                            const WallClock& clock) {
  Json json;
  json["resources"] = Json::array();
  for (size_t i = 0; i < resolution.resources.size(); ++i) {
    json["resources"].push_back(render::resource_json(plan, i, resolution.resources[i], clock));
  }
  json["excluded"] = render::excluded_json(plan);
  json["unmatchedGroups"] = render::unmatched_groups_json(plan, unmatched);
  return json_text(json, layout == JsonLayout::one_line ? -1 : 2);
}

}  // namespace patchbay::cli
