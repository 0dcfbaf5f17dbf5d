#include "cli/commands/unit_tables.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/status_fields.h"

namespace patchbay::cli {
namespace {

/// Longest reason of a warning. The advice is at its end.
constexpr size_t kMaxReason = 10'000;

/// The device node, or the path if there is none.
std::string location(const Json& device, const char* path, bool wide) {
  const std::string node = text_at(device, "devnode");
  return shown(node.empty() || wide ? text_at(device, path) : node);
}

std::string locations_of(const Json& unit, bool wide) {
  std::string locations;
  for (const Json& member : field_at(unit, "members")) {
    if (!locations.empty()) locations += ' ';
    if (const std::string role = text_at(member, "role"); !role.empty())
      locations += shown(role) + '=';
    locations += location(member, "key", wide);
  }
  return locations;
}

/// Why a resource has no unit.
std::string empty_reason(const Json& resource) {
  std::set<std::string> kinds;
  for (const Json& refusal : field_at(resource, "refused")) kinds.insert(text_at(refusal, "kind"));
  if (kinds.size() == 1) return "all " + shown(*kinds.begin());
  if (!kinds.empty()) return "none offered";
  return field_at(resource, "unresponsive").empty() ? "no device matches" : "unresponsive";
}

}  // namespace

Table unit_table(const Json& resources, const UnitColumns& columns) {
  Table table{.columns = {{.title = "RESOURCE", .min_width = 12, .keeps_end = true},
                          {.title = "UNIT", .min_width = 8},
                          {.title = "STATE"},
                          {.title = "SINCE"},
                          {.title = "SHARES"},
                          {.title = "NUMA"},
                          {.title = "ALLOCATED TO", .min_width = 12},
                          {.title = "DEVICE", .min_width = 10, .keeps_end = true},
                          {.title = "ID FROM", .droppable = true},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  bool any_shared = false;
  bool any_nodes = false;
  bool any_allocated = false;
  for (const Json& resource : resources) {
    const std::string name = shown(text_at(resource, "name"));
    const Json& units = field_at(resource, "units");
    for (const Json& unit : units) {
      const uint64_t shares = number_at(unit, "shares");
      const std::string nodes = joined_nodes(unit);
      const std::string allocated_to = columns.allocated_to ? columns.allocated_to(unit) : "";
      any_shared = any_shared || shares > 0;
      any_nodes = any_nodes || !nodes.empty();
      any_allocated = any_allocated || !allocated_to.empty();
      table.rows.push_back({name, shown(text_at(unit, "id")), health_cell(unit),
                            columns.since ? columns.since(text_at(unit, "since")) : "",
                            shares == 0 ? "" : std::to_string(shares), nodes, allocated_to,
                            locations_of(unit, columns.wide), shown(text_at(unit, "idSource")),
                            reason_of(unit)});
    }
    if (units.empty() && columns.resource) {
      table.rows.push_back({name, "-", Cell(empty_reason(resource), Style::warning)});
    }
  }
  if (!columns.resource) table.drop("RESOURCE");
  if (!columns.since) table.drop("SINCE");
  if (!any_shared) table.drop("SHARES");
  if (!any_nodes) table.drop("NUMA");
  if (!any_allocated) table.drop("ALLOCATED TO");
  if (!columns.id_source) table.drop("ID FROM");
  return table;
}

Table not_offered_table(const Json& resources, const UnitColumns& columns) {
  // Without the column of the resource, the first column is the device.
  Table table{.columns = {{.title = columns.resource ? "NOT OFFERED BY" : "NOT OFFERED",
                           .min_width = 14,
                           .keeps_end = true},
                          {.title = "KIND"},
                          {.title = "UNIT", .min_width = 8},
                          {.title = "DEVICE", .min_width = 10, .keeps_end = true},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  const auto add = [&](const Json& owner, Cell kind, const std::string& unit,
                       const std::string& device, const std::string& reason) {
    table.rows.push_back({columns.resource ? shown(text_at(owner, "name")) : device,
                          std::move(kind), unit.empty() ? "-" : shown(unit), device,
                          shown(reason)});
  };
  for (const Json& resource : resources) {
    for (const Json& refusal : field_at(resource, "refused")) {
      const std::string kind = text_at(refusal, "kind");
      add(resource, {shown(kind), kind == "refused" ? Style::bad : Style::warning},
          text_at(refusal, "id"), location(refusal, "device", columns.wide),
          text_at(refusal, "reason"));
    }
    for (const Json& path : field_at(resource, "unresponsive")) {
      add(resource, {"unresponsive", Style::warning}, "", shown(text_at(path, "path")),
          text_at(path, "reason"));
    }
    for (const Json& rule : field_at(resource, "degraded")) {
      const uint64_t group = number_at(rule, "group");
      add(resource, {"degraded", Style::warning}, "", shown(text_at(rule, "pattern")),
          (group == 0 ? "" : fmt::format("group {}: ", group)) + text_at(rule, "reason"));
    }
  }
  if (!columns.resource) table.drop("DEVICE");
  return table;
}

Table lost_units_table(const Json& resources, bool resource_column) {
  Table table{.columns = {{.title = "LOST UNIT", .min_width = 8},
                          {.title = "RESOURCE", .min_width = 12, .keeps_end = true},
                          {.title = "LOST AT"},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  for (const Json& resource : resources) {
    for (const Json& unit : field_at(resource, "lostUnits")) {
      table.rows.push_back({shown(text_at(unit, "id")), shown(text_at(resource, "name")),
                            shown(text_at(unit, "since")), shown(text_at(unit, "reason"))});
    }
  }
  if (!resource_column) table.drop("RESOURCE");
  return table;
}

Cell health_cell(const Json& unit) {
  return flag_at(unit, "healthy") ? Cell("healthy", Style::good) : Cell("unhealthy", Style::bad);
}

std::string reason_of(const Json& unit) {
  const std::string last = text_at(unit, "lastUnhealthyReason");
  if (flag_at(unit, "healthy") && !text_at(unit, "emptyAllocation").empty()) {
    return "gives a container nothing";
  }
  if (flag_at(unit, "healthy") && !last.empty()) return "was: " + shown(last);
  return shown(text_at(unit, "reason"));
}

std::string joined_nodes(const Json& unit) {
  std::vector<std::string> nodes;
  for (const Json& node : field_at(unit, "numaNodes")) nodes.push_back(shown(node.dump()));
  return fmt::format("{}", fmt::join(nodes, ","));
}

std::string warning_lines(const std::string& resource, const std::string& reason,
                          const TableLayout& layout) {
  constexpr std::string_view kWord = "warning:";
  const std::string lines =
      folded(fmt::format("{} {}: {}\n", kWord, shown(resource), printable(reason, kMaxReason)),
             layout.width);
  return colored(kWord, Style::warning, layout.color) + lines.substr(kWord.size());
}

std::string warnings_of(const Json& resource, const TableLayout& layout) {
  std::string text;
  const Json& counts = field_at(resource, "counts");
  const uint64_t expected = number_at(counts, "expected");
  if (const uint64_t healthy = number_at(counts, "healthy"); healthy < expected) {
    text += warning_lines(
        text_at(resource, "name"),
        fmt::format("{} of {} expected units missing", expected - healthy, expected), layout);
  }
  for (const Json& warning : field_at(resource, "warnings")) {
    text += warning_lines(text_at(resource, "name"), text_at(warning, "reason"), layout);
  }
  return text;
}

}  // namespace patchbay::cli
