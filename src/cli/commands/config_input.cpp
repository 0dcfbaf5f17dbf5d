#include "cli/commands/config_input.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "base/text.h"
#include "cli/options/option_values.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {
namespace {

void log_diagnostic(const config::Diagnostic& diagnostic) {
  constexpr std::array kWrite{&log::error, &log::warning, &log::info};
  const auto write = kWrite[static_cast<size_t>(diagnostic.severity)];
  write(diagnostic.message, {{"file", diagnostic.at.source ? diagnostic.at.source->name : ""},
                             {"line", std::to_string(diagnostic.at.line)},
                             {"column", std::to_string(diagnostic.at.column)},
                             {"hint", diagnostic.hint}});
}

}  // namespace

void report(const config::Diagnostics& diagnostics, DiagnosticFormat format) {
  if (format == DiagnosticFormat::log) {
    for (const auto& diagnostic : diagnostics.all()) log_diagnostic(diagnostic);
    return;
  }
  print_error(config::render(diagnostics, wants_color(STDERR_FILENO)));
  if (diagnostics.ok()) return;
  print_error(count_text(diagnostics.error_count(), "error") + "\n");
}

size_t warning_count(const config::Diagnostics& diagnostics) {
  return static_cast<size_t>(std::ranges::count(diagnostics.all(), config::Severity::warning,
                                                &config::Diagnostic::severity));
}

std::string count_text(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Result<std::string> node_name(const ConfigOptions& options) {
  if (!options.node.empty()) return options.node;
  std::string node = daemon::default_node_name();
  // A host without a name is an error only if a template needs $(node).
  if (!node.empty() && !parse_node_name(node)) {
    return fail("'" + printable(node, 200) +
                "' ($NODE_NAME; without it the name of the host) cannot be a node's name; give "
                "--node-name");
  }
  return node;
}

Result<daemon::Configuration> read_configuration(const ConfigOptions& options) {
  const auto node = node_name(options);
  if (!node) return std::unexpected(node.error());
  return daemon::read_configuration(options.paths, *node);
}

Result<daemon::CheckedConfigurations> check_configurations(const ConfigOptions& options) {
  const auto node = node_name(options);
  if (!node) return std::unexpected(node.error());
  return daemon::check_configurations(options.paths, *node);
}

ConfigInput read_config(const ConfigOptions& options, DiagnosticFormat format) {
  return report_configuration(read_configuration(options), format);
}

ConfigInput report_configuration(Result<daemon::Configuration> configuration,
                                 DiagnosticFormat format) {
  if (configuration && !configuration->unreadable.empty()) {
    configuration = fail(configuration->unreadable);
  }
  if (!configuration)
    return {.plan = nullptr, .exit_code = report_failure(configuration.error(), format)};
  report(configuration->diagnostics, format);
  if (!configuration->plan) return {.plan = nullptr, .exit_code = kConfigErrors};
  const size_t warnings = warning_count(configuration->diagnostics);
  const rules::PlanPtr plan = configuration->plan;
  return {.plan = plan,
          .configuration = *std::move(configuration),
          .exit_code = kOk,
          .warnings = warnings};
}

int report_failure(const Error& error, DiagnosticFormat format) {
  if (format == DiagnosticFormat::text) return report_failure(error);
  log::error(error.message);
  return kFailure;
}

}  // namespace patchbay::cli
