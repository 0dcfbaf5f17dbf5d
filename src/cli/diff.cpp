#include <algorithm>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/json_text.h"
#include "cli/commands.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "rules/plan_changes.h"

namespace patchbay::cli {
namespace {

using rules::ResourceChange;

std::string changes_as_json(const std::vector<ResourceChange>& changes, bool differ) {
  Json json;
  json["differ"] = differ;
  json["resources"] = Json::array();
  for (const ResourceChange& change : changes) {
    Json one;
    one["name"] = change.name;
    one["change"] = word_of(change.kind);
    one["keys"] = change.keys;
    json["resources"].push_back(std::move(one));
  }
  return json_text(json);
}

std::string changes_as_table(const std::vector<ResourceChange>& changes, bool differ) {
  std::vector<std::vector<std::string>> rows{{"RESOURCE", "CHANGE", "KEYS"}};
  for (const ResourceChange& change : changes) {
    rows.push_back({change.name, std::string(word_of(change.kind)),
                    change.keys.empty() ? "-" : fmt::format("{}", fmt::join(change.keys, " "))});
  }
  const bool only_order = differ && std::ranges::all_of(changes, [](const auto& change) {
                            return change.kind == ResourceChange::Kind::kept;
                          });
  return format_table(rows) +
         (only_order ? "The order is another: of two that want one device the first has it.\n"
                     : "");
}

}  // namespace

int diff(const DiffOptions& options) {
  const auto read = [&](const std::string& path) {
    return read_config({.paths = {path}, .node = options.node});
  };
  const ConfigInput before = read(options.before);
  const ConfigInput now = read(options.now);
  if (!before.plan || !now.plan) return kUnable;
  const auto changes = rules::changes_between(*before.plan, *now.plan);
  const bool differ = !rules::mean_the_same(*before.plan, *now.plan);
  const auto printed =
      print(options.output == OutputFormat::json ? changes_as_json(changes, differ)
                                                 : changes_as_table(changes, differ));
  if (printed == Printed::failed) return kUnable;
  return differ ? kDiffers : kOk;
}

}  // namespace patchbay::cli
