#include "cli/commands.h"
#include "cli/config_input.h"
#include "cli/exit_code.h"
#include "cli/json_text.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

Json to_json(const config::Diagnostic& diagnostic) {
  Json json;
  json["severity"] = diagnostic.severity == config::Severity::error ? "error" : "warning";
  json["file"] = diagnostic.at.source ? diagnostic.at.source->name : "";
  json["line"] = diagnostic.at.line;
  json["column"] = diagnostic.at.column;
  json["message"] = diagnostic.message;
  json["hint"] = diagnostic.hint;
  return json;
}

int validate_as_json(const daemon::Configuration& configuration) {
  Json json;
  json["valid"] = configuration.plan != nullptr;
  json["unreadable"] = configuration.unreadable;
  json["diagnostics"] = Json::array();
  for (const auto& diagnostic : configuration.diagnostics.all()) {
    json["diagnostics"].push_back(to_json(diagnostic));
  }
  print(json_text(json));
  if (!configuration.unreadable.empty()) return kUnable;
  return configuration.plan ? kOk : kConfigErrors;
}

}  // namespace

int validate(const ValidateOptions& options) {
  if (options.output == OutputFormat::json) {
    const std::string node =
        options.config.node.empty() ? daemon::default_node_name() : options.config.node;
    return validate_as_json(daemon::read_configuration(options.config.paths, node));
  }
  const ConfigInput input = read_config(options.config);
  if (!input.plan) return input.exit_code;
  print("ok: " + count_of(input.plan->resources.size(), "resource") + "\n");
  return kOk;
}

}  // namespace patchbay::cli
