#include <algorithm>
#include <tuple>
#include <vector>

#include "base/json_text.h"
#include "cli/commands.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/manifest_patch.h"
#include "cli/needs_view.h"
#include "cli/terminal.h"
#include "rules/needs.h"

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

/// In the order of the text that people get.
Json to_json(const config::Diagnostics& diagnostics) {
  std::vector<config::Diagnostic> sorted(diagnostics.all().begin(), diagnostics.all().end());
  std::ranges::stable_sort(sorted, {}, [](const config::Diagnostic& diagnostic) {
    return std::tuple(file_of(diagnostic), diagnostic.at.line, diagnostic.at.column);
  });
  Json json = Json::array();
  for (const auto& diagnostic : sorted) json.push_back(to_json(diagnostic));
  return json;
}

int validate_as_json(const ValidateOptions& options) {
  const auto configuration = read_configuration(options.config);
  if (!configuration) return unable(configuration.error());
  Json json;
  json["valid"] = configuration->plan != nullptr;
  json["unreadable"] = configuration->unreadable;
  json["diagnostics"] = to_json(configuration->diagnostics);
  std::vector<rules::Need> needs;
  if (configuration->plan) needs = rules::needs(*configuration->plan);
  json["needs"] = needs_json(needs);
  json["patch"] = manifest_patch(needs);
  if (print(json_text(json)) == Printed::failed) return kUnable;
  if (!configuration->unreadable.empty()) return kUnable;
  const bool refused = options.strict && warning_count(configuration->diagnostics) > 0;
  return configuration->plan && !refused ? kOk : kConfigErrors;
}

}  // namespace

int validate(const ValidateOptions& options) {
  if (options.output == OutputFormat::json) return validate_as_json(options);
  const ConfigInput input = read_config(options.config);
  if (!input.plan) return input.exit_code;
  if (options.strict && input.warnings > 0) {
    print_error(count_of(input.warnings, "warning") + "\n");
    return kConfigErrors;
  }
  std::string summary = "ok: " + count_of(input.plan->resources.size(), "resource");
  if (input.warnings > 0) summary += ", " + count_of(input.warnings, "warning");
  return exit_code_of(print(summary + "\n" + needs_text(rules::needs(*input.plan))));
}

}  // namespace patchbay::cli
