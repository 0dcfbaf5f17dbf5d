#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "base/json_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/machine_check.h"
#include "cli/commands/manifest_patch.h"
#include "cli/commands/needs_view.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "rules/needs/needs.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {
namespace {

std::string file_of(const config::Diagnostic& diagnostic) {
  return diagnostic.at.source ? diagnostic.at.source->name : "";
}

Json to_json(const config::Diagnostic& diagnostic) {
  Json json;
  json["severity"] = diagnostic.severity == config::Severity::error ? "error" : "warning";
  json["file"] = file_of(diagnostic);
  json["line"] = diagnostic.at.line;
  json["column"] = diagnostic.at.column;
  json["message"] = diagnostic.message;
  json["hint"] = diagnostic.hint;
  return json;
}

/// In the order of the text output.
Json to_json(const config::Diagnostics& diagnostics) {
  std::vector<config::Diagnostic> sorted(diagnostics.all().begin(), diagnostics.all().end());
  std::ranges::stable_sort(sorted, {}, [](const config::Diagnostic& diagnostic) {
    return std::tuple(file_of(diagnostic), diagnostic.at.line, diagnostic.at.column);
  });
  Json json = Json::array();
  for (const auto& diagnostic : sorted) json.push_back(to_json(diagnostic));
  return json;
}

/// By kind, as for a single configuration.
std::vector<rules::Need> needs_of(const daemon::CheckedConfigurations& checked) {
  std::vector<rules::Need> all;
  for (const rules::PlanPtr& plan : checked.plans) {
    std::ranges::move(rules::needs(*plan), std::back_inserter(all));
  }
  std::ranges::stable_sort(all, {}, &rules::Need::kind);
  return all;
}

/// With --machine, each configuration is also tried on that machine.
Result<daemon::CheckedConfigurations> check(const ValidateOptions& options) {
  auto checked = check_configurations(options.config);
  if (!checked || options.host.machine.empty()) return checked;
  for (const rules::PlanPtr& plan : checked->plans) {
    const auto tried = check_on_machine(plan, options.host, checked->diagnostics);
    if (!tried) return std::unexpected(tried.error());
  }
  return checked;
}

int validate_as_json(const ValidateOptions& options) {
  const auto checked = check(options);
  if (!checked) return report_failure(checked.error());
  Json json;
  json["valid"] = !checked->plans.empty();
  json["readError"] = checked->unreadable;
  json["diagnostics"] = to_json(checked->diagnostics);
  const auto needs = needs_of(*checked);
  json["needs"] = needs_json(needs);
  json["patch"] = manifest_patch(needs);
  if (print(json_text(json)) == Printed::failed) return kFailure;
  if (!checked->unreadable.empty()) return kFailure;
  const bool refused = options.strict && warning_count(checked->diagnostics) > 0;
  return checked->plans.empty() || refused ? kConfigErrors : kOk;
}

}  // namespace

int validate(const ValidateOptions& options) {
  if (options.output == OutputFormat::json) return validate_as_json(options);
  const auto checked = check(options);
  if (!checked) return report_failure(checked.error());
  if (!checked->unreadable.empty()) return report_failure(Error{checked->unreadable});
  report(checked->diagnostics, DiagnosticFormat::text);
  if (checked->plans.empty()) return kConfigErrors;
  const size_t warnings = warning_count(checked->diagnostics);
  if (options.strict && warnings > 0) {
    print_error(count_text(warnings, "warning") + "\n");
    return kConfigErrors;
  }
  size_t resources = 0;
  for (const rules::PlanPtr& plan : checked->plans) resources += plan->resources.size();
  std::string summary = "ok: " + count_text(resources, "resource");
  if (checked->plans.size() > 1) {
    summary += " in " + count_text(checked->plans.size(), "configuration");
  }
  if (warnings > 0) summary += ", " + count_text(warnings, "warning");
  return exit_code_of(print(summary + "\n" + needs_text(needs_of(*checked))));
}

}  // namespace patchbay::cli
