#include "cli/commands/claims_view.h"

#include <utility>

#include <fmt/format.h>

#include "cli/commands/config_input.h"
#include "cli/commands/status_fields.h"
#include "cli/commands/unit_tables.h"

namespace patchbay::cli {
namespace {

/// The uid if the name is unknown, because the record is unreadable.
std::string claim_name(const Json& claim) {
  const std::string name = text_at(claim, "name");
  return shown(name.empty() ? text_at(claim, "uid") : text_at(claim, "namespace") + "/" + name);
}

}  // namespace

std::string claims_text(const Json& status, const std::string& resource,
                        const TableLayout& layout) {
  static const Json unknown = Json::array({Json::object()});
  Table table{.columns = {{.title = "CLAIM", .min_width = 12, .keeps_end = true},
                          {.title = "RESOURCE", .min_width = 12, .keeps_end = true},
                          {.title = "UNIT", .min_width = 8},
                          {.title = "PHASE"},
                          {.title = "REASON", .min_width = 16}},
              .rows = {}};
  std::string lines;
  for (const Json& driver : field_at(status, "draDrivers")) {
    const Json& claims = field_at(driver, "claims");
    const bool draining = text_at(driver, "state") == "draining";
    if (draining && resource.empty()) {
      const std::string reason = text_at(driver, "reason");
      lines += fmt::format("DRA driver {}: draining until {}{}\n", shown(text_at(driver, "name")),
                           claims.empty() ? "its ResourceSlices are deleted"
                           : claims.size() == 1
                               ? "its ResourceClaim has ended"
                               : fmt::format("its {} ResourceClaims have ended", claims.size()),
                           reason.empty() ? "" : ": " + shown(reason));
    }
    for (const Json& claim : claims) {
      const std::string phase = text_at(claim, "phase");
      const bool failed = phase == "releaseFailed" || phase == "unreadable";
      const bool needs_attention = draining || failed || phase == "releasing";
      bool selected = resource.empty();
      const Json& devices = field_at(claim, "devices");
      for (const Json& device : devices.empty() ? unknown : devices) {
        const std::string its = text_at(device, "resource");
        if (resource.empty() ? !needs_attention : its != resource) continue;
        selected = true;
        table.rows.push_back({claim_name(claim), shown(its), shown(text_at(device, "unit")),
                              Cell(shown(phase), failed ? Style::bad : Style::plain),
                              shown(text_at(claim, "reason"))});
      }
      if (!selected) continue;
      for (const Json& warning : field_at(claim, "warnings")) {
        if (warning.is_string()) {
          lines += warning_lines("ResourceClaim " + claim_name(claim), warning.get<std::string>(),
                                 layout);
        }
      }
    }
  }
  if (!resource.empty()) table.drop("RESOURCE");
  std::string text = table.rows.empty() ? "" : "\n" + format_table(std::move(table), layout);
  return lines.empty() ? text : text + "\n" + lines;
}

}  // namespace patchbay::cli
