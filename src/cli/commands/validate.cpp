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
#include "cli/terminal/table.h"
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
  json["severity"] = word_of(diagnostic.severity);
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

/// The needs of several configurations together.
struct Needs {
  std::vector<rules::Need> all;  ///< By kind, as for a single configuration.
  std::vector<config::DaemonSet> daemon_sets;
};

/// A mount that a known DaemonSet lacks is a warning, too.
Needs needs_of(daemon::CheckedConfigurations& checked) {
  Needs needs;
  for (const auto& [plan, daemon_sets] : checked.all) {
    for (rules::Need& need : rules::needs(*plan, daemon_sets)) {
      if (!daemon_sets.empty() && rules::is_mount(need)) {
        rules::warn_of_missing_mount(need, "the DaemonSet " + shown(daemon_sets[0].name),
                                     checked.diagnostics);
      }
      needs.all.push_back(std::move(need));
    }
    std::ranges::copy(daemon_sets, std::back_inserter(needs.daemon_sets));
  }
  std::ranges::stable_sort(needs.all, {}, &rules::Need::kind);
  return needs;
}

/// With --machine, each configuration is also tried on that machine.
Result<daemon::CheckedConfigurations> check(const ValidateOptions& options) {
  auto checked = check_configurations(options.config);
  if (!checked || options.host.machine.empty()) return checked;
  for (const daemon::CheckedConfiguration& one : checked->all) {
    const auto tried = check_on_machine(one.plan, options.host, checked->diagnostics);
    if (!tried) return std::unexpected(tried.error());
  }
  return checked;
}

int validate_as_json(const ValidateOptions& options) {
  auto checked = check(options);
  if (!checked) return report_failure(checked.error());
  const Needs needs = needs_of(*checked);
  Json json;
  json["valid"] = !checked->all.empty();
  json["readError"] = checked->unreadable;
  json["diagnostics"] = to_json(checked->diagnostics);
  json["needs"] = needs_json(needs.all);
  json["patch"] = manifest_patch(needs.all, needs.daemon_sets);
  if (print(json_text(json)) == Printed::failed) return kFailure;
  if (!checked->unreadable.empty()) return kFailure;
  const bool refused = options.strict && warning_count(checked->diagnostics) > 0;
  return checked->all.empty() || refused ? kConfigErrors : kOk;
}

}  // namespace

int validate(const ValidateOptions& options) {
  if (options.output == OutputFormat::json) return validate_as_json(options);
  auto checked = check(options);
  if (!checked) return report_failure(checked.error());
  const Needs needs = needs_of(*checked);
  if (!checked->unreadable.empty()) return report_failure(Error{checked->unreadable});
  report(checked->diagnostics, DiagnosticFormat::text);
  if (checked->all.empty()) return kConfigErrors;
  const size_t warnings = warning_count(checked->diagnostics);
  if (options.strict && warnings > 0) {
    print_error(count_text(warnings, "warning") + "\n");
    return kConfigErrors;
  }
  size_t resources = 0;
  for (const auto& one : checked->all) resources += one.plan->resources.size();
  std::string summary = "ok: " + count_text(resources, "resource");
  if (checked->all.size() > 1) {
    summary += " in " + count_text(checked->all.size(), "configuration");
  }
  if (warnings > 0) summary += ", " + count_text(warnings, "warning");
  return exit_code_of(print(summary + "\n" + needs_text(needs.all, needs.daemon_sets)));
}

}  // namespace patchbay::cli
