#include "cli/commands/resolution_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/status_fields.h"
#include "cli/commands/unit_tables.h"
#include "daemon/unmatched_groups.h"
#include "render/resource_json.h"
#include "render/rule_json.h"
#include "rules/plan/default_id.h"
#include "rules/plan/node_filter.h"

namespace patchbay::cli {
namespace {

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

/// Also about units whose id may change; can be empty.
std::string warnings(const Json& resources, const TableLayout& layout) {
  std::string text;
  for (const Json& resource : resources) {
    text += warnings_of(resource, layout);
    const auto count = std::ranges::count_if(field_at(resource, "units"), [](const Json& unit) {
      return text_at(unit, "idSource") == rules::word(rules::IdSource::kernel_name);
    });
    if (count == 0) continue;
    text += warning_lines(
        text_at(resource, "name"),
        fmt::format("{} from the kernel's name, which depends on the order of detection: give the "
                    "group an id",
                    count == 1 ? "1 unit has an id" : fmt::format("{} units have ids", count)),
        layout);
  }
  return text;
}

std::string rule_title(const rules::Plan& plan, const rules::Rule& rule) {
  const size_t group = rules::configured_group_number(plan, rule.resource, rule.group);
  return fmt::format("{}{} ({})", plan.resources[rule.resource]->name,
                     group == 0 ? "" : fmt::format(", group {}", group),
                     position_text(plan.group(rule).match.at()));
}

/// The device for people: its node; without one, or with `wide`, its path.
std::string location_of(const DeviceFacts& device, bool wide) {
  return shown(wide || device.devnode.empty() ? device.key : device.devnode);
}

/// A paragraph for each group that no device matches.
std::string unmatched_text(const rules::Plan& plan,
                           const std::vector<status::UnmatchedGroup>& groups, bool wide) {
  std::string text;
  for (const status::UnmatchedGroup& group : groups) {
    text += fmt::format("{}no device matches {}\n  checked {}{}", text.empty() ? "" : "\n",
                        rule_title(plan, group.miss.rule), group.candidates,
                        group.no_candidate_reason.empty() ? "" : ": " + group.no_candidate_reason);
    if (group.miss.nearest) {
      text += fmt::format("; the nearest is {}, but:\n{}", location_of(*group.miss.nearest, wide),
                          mismatch_lines(group.miss.mismatches, "    "));
    } else {
      text += '\n';
    }
  }
  return text;
}

}  // namespace

std::string position_text(const config::Position& at) {
  const std::string file = at.source ? printable(at.source->name, 500) : "";
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

std::string mismatch_lines(std::span<const rules::Mismatch> mismatches, const std::string& indent) {
  std::string lines;
  for (const rules::Mismatch& mismatch : mismatches) {
    lines += fmt::format("{}{}: {} -- {}\n", indent, position_text(mismatch.at),
                         printable(mismatch.condition, 500), mismatch.actual);
    lines += mismatch_lines(mismatch.nested, indent + "  ");
  }
  return lines;
}

Json resolution_json(const rules::Plan& plan, const inventory::Resolution& resolution,
                     const std::vector<status::UnmatchedGroup>& unmatched, const WallClock& clock) {
  Json json;
  json["resources"] = Json::array();
  for (size_t i = 0; i < resolution.resources.size(); ++i) {
    json["resources"].push_back(render::resource_json(plan, i, resolution.resources[i], clock));
  }
  json["excluded"] = render::excluded_json(plan);
  json["unmatchedGroups"] = render::unmatched_groups_json(plan, unmatched);
  return json;
}

std::string resolution_table(const Json& json, const rules::Plan& plan,
                             const std::vector<status::UnmatchedGroup>& unmatched,
                             const ResolutionLayout& layout) {
  const Json& resources = field_at(json, "resources");
  const UnitColumns columns{
      .resource = true, .id_source = true, .since = layout.since, .wide = layout.wide};
  std::string text = format_table(unit_table(resources, columns), layout.table);
  if (Table rest = not_offered_table(resources, columns); !rest.rows.empty()) {
    text += "\n" + format_table(std::move(rest), layout.table);
  }
  if (!plan.excluded.empty()) text += "\n" + format_table(excluded_table(plan), layout.table);
  if (!unmatched.empty()) {
    text += "\n" + folded(unmatched_text(plan, unmatched, layout.wide), layout.table.width);
  }
  if (const std::string more = warnings(resources, layout.table); !more.empty()) {
    text += "\n" + more;
  }
  return text;
}

Findings findings_of(const inventory::Inventory& inventory, const paths::HostRoot& root) {
  auto unmatched = daemon::find_unmatched_groups(*inventory.plan(), inventory.last(), root);
  Json json = resolution_json(*inventory.plan(), inventory.last(), unmatched, WallClock::now());
  return {.unmatched = std::move(unmatched), .json = std::move(json)};
}

}  // namespace patchbay::cli
