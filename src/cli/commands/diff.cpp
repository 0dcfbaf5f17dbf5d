#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/json_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/unit_changes.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "rules/plan/plan_changes.h"

namespace patchbay::cli {
namespace {

using rules::ResourceChange;
using UnitsByResource = std::map<std::string, UnitChanges>;

/// The result of `diff`.
struct Comparison {
  std::vector<ResourceChange> changes;
  bool differ = false;
  std::optional<UnitsByResource> units;  ///< Empty: the units were not compared.

  /// The changes of one resource; null if its units are unchanged.
  [[nodiscard]] const UnitChanges* units_of(const std::string& resource) const {
    const auto found = units->find(resource);
    return found == units->end() ? nullptr : &found->second;
  }
};

std::string as_json(const Comparison& comparison) {
  Json json;
  json["different"] = comparison.differ;
  json["resources"] = Json::array();
  for (const ResourceChange& change : comparison.changes) {
    Json one;
    one["name"] = change.name;
    one["change"] = word_of(change.kind);
    one["keys"] = change.keys;
    one["claimsOutliveEdit"] = change.claims_outlive_edit;
    if (comparison.units) {
      const UnitChanges* const units = comparison.units_of(change.name);
      one["units"]["added"] = units == nullptr ? std::vector<std::string>{} : units->added;
      one["units"]["removed"] = units == nullptr ? std::vector<std::string>{} : units->removed;
      one["units"]["reasons"] = units == nullptr ? std::vector<std::string>{} : units->reasons;
    }
    json["resources"].push_back(std::move(one));
  }
  return json_text(json);
}

std::string units_text(const UnitChanges* units) {
  if (units == nullptr || units->added.size() + units->removed.size() == 0) return "-";
  return fmt::format("+{} -{}", units->added.size(), units->removed.size());
}

std::string as_table(const Comparison& comparison, const TableLayout& layout) {
  Table table{.columns = {{.title = "RESOURCE", .min_width = 12, .keeps_end = true},
                          {.title = "CHANGE"},
                          {.title = "KEYS", .min_width = 8}},
              .rows = {}};
  if (comparison.units) table.columns.insert(table.columns.begin() + 2, {.title = "UNITS"});
  for (const ResourceChange& change : comparison.changes) {
    Row row{change.name, std::string(word_of(change.kind))};
    if (comparison.units) row.emplace_back(units_text(comparison.units_of(change.name)));
    row.emplace_back(change.keys.empty() ? "-" : fmt::format("{}", fmt::join(change.keys, " ")));
    table.rows.push_back(std::move(row));
  }
  const bool only_order =
      comparison.differ && std::ranges::all_of(comparison.changes, [](const auto& change) {
        return change.kind == ResourceChange::Kind::kept;
      });
  std::string text = format_table(std::move(table), layout);
  if (only_order) {
    text += "The order of resources differs: if two match one device, the first gets it.\n";
  }
  for (const auto& [resource, units] : comparison.units.value_or(UnitsByResource{})) {
    for (const std::string& reason : units.reasons) {
      text += fmt::format("{}: {}\n", resource, shown(reason));
    }
  }
  for (const ResourceChange& change : comparison.changes) {
    if (!change.claims_outlive_edit) continue;
    text += change.name + ": prepared ResourceClaims keep their devices until their Pods end\n";
  }
  return text;
}

}  // namespace

int diff(const DiffOptions& options) {
  const auto read = [&](const std::string& path) {
    return read_config({.paths = {path}, .node = options.node});
  };
  const ConfigInput before = read(options.before);
  const ConfigInput now = read(options.now);
  if (!before.plan || !now.plan) return kFailure;
  if (!options.host.machine.empty()) {
    const auto machine = read_recorded_root(options.host.machine);
    if (!machine) return report_failure(machine.error());
  }
  Comparison comparison{.changes = rules::changes_between(*before.plan, *now.plan),
                        .differ = !rules::equivalent(*before.plan, *now.plan),
                        .units = std::nullopt};
  if (options.here || !options.host.machine.empty()) {
    auto units = unit_changes(before.plan, now.plan, options.host);
    if (units) {
      comparison.units = *std::move(units);
    } else {
      print_error("patchbay: units are not compared: " + units.error().message + "\n");
    }
  }
  const TableLayout layout{.width = terminal_size(STDOUT_FILENO).columns,
                           .color = wants_color(STDOUT_FILENO)};
  const auto printed = print(options.output == OutputFormat::json ? as_json(comparison)
                                                                  : as_table(comparison, layout));
  if (printed == Printed::failed) return kFailure;
  return comparison.differ ? kDiffers : kOk;
}

}  // namespace patchbay::cli
