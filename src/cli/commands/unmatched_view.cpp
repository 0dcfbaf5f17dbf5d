#include "cli/commands/unmatched_view.h"

#include <fmt/format.h>

#include "cli/commands/mismatch_view.h"
#include "cli/terminal/table.h"
#include "rules/plan/node_filter.h"

namespace patchbay::cli {
namespace {

std::string rule_title(const rules::Plan& plan, const rules::Rule& rule) {
  const size_t group = rules::configured_group_number(plan, rule.resource, rule.group);
  return fmt::format("{}{} ({})", plan.resources[rule.resource]->name,
                     group == 0 ? "" : fmt::format(", group {}", group),
                     position_text(plan.group(rule).match.at()));
}

}  // namespace

std::string location_of(const DeviceFacts& device, bool wide) {
  return shown(wide || device.devnode.empty() ? device.key : device.devnode);
}

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

}  // namespace patchbay::cli
