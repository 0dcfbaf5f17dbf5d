#include "cli/commands/assignments_view.h"

#include <fmt/format.h>

#include "cli/commands/status_fields.h"

namespace patchbay::cli {

std::string container_text(const Json& holder) {
  return shown(text_at(holder, "namespace")) + '/' + shown(text_at(holder, "pod")) + '/' +
         shown(text_at(holder, "container"));
}

std::string assignments_text(const Json& status, const Json& unit, bool wide) {
  std::string text;
  const Json& holders = field_at(unit, "allocatedTo");
  for (const Json& holder : holders) {
    if (!text.empty() && !wide) return text + fmt::format(" and {} more", holders.size() - 1);
    text += (text.empty() ? "" : " ") + container_text(holder);
  }
  if (const std::string at = text_at(unit, "lastAllocateTime"); text.empty() && !at.empty()) {
    return "allocated " + age(status, at) + " ago";
  }
  return text;
}

std::optional<Cell> pod_resources_cell(const Json& status) {
  const Json& asked = field_at(status, "podResources");
  const std::string state = text_at(asked, "state");
  if (state.empty() || state == "disabled") return std::nullopt;
  const std::string answered = text_at(asked, "lastSuccessTime");
  const std::string known =
      answered.empty() ? "not known" : "known as of " + age(status, answered) + " ago";
  if (state == "ready") return Cell(known, Style::good);
  const std::string reason = shown(text_at(asked, "reason"));
  return Cell(reason.empty() ? known : known + ": " + reason,
              state == "failing" ? Style::warning : Style::plain);
}

Table withdrawn_units_table(const Json& status, const std::string& resource, bool wide) {
  Table table{.columns = {{.title = "ALLOCATED, NOT OFFERED", .min_width = 8},
                          {.title = "RESOURCE", .min_width = 12, .keeps_end = true},
                          {.title = "ALLOCATED TO", .min_width = 16}},
              .rows = {}};
  for (const Json& unit : field_at(field_at(status, "podResources"), "withdrawnUnits")) {
    const std::string its = text_at(unit, "resource");
    if (!resource.empty() && its != resource) continue;
    table.rows.push_back(
        {shown(text_at(unit, "unit")), shown(its), assignments_text(status, unit, wide)});
  }
  if (!resource.empty()) table.drop("RESOURCE");
  return table;
}

}  // namespace patchbay::cli
