#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "daemon/configuration.h"

namespace patchbay::cli {

/// Reads the configuration for the node that the options, $NODE_NAME or the host name. An error:
/// what the node is called cannot be a name.
[[nodiscard]] Result<daemon::Configuration> read_configuration(
    const ConfigOptions& options, const daemon::Configuration& before = {});

/// The same of configurations for several daemons: see daemon::check_configurations().
[[nodiscard]] Result<daemon::CheckedConfigurations> check_configurations(
    const ConfigOptions& options);

/// How mistakes are told: as text with snippets for people, or as lines of the log for programs.
enum class DiagnosticFormat { text, log };

/// The same; its mistakes and warnings, or why it could not be read, are told on standard error.
/// Without a plan `exit_code` says what to return.
struct ConfigInput {
  rules::PlanPtr plan;
  daemon::Configuration configuration{};  ///< With that plan.
  int exit_code = 0;
  size_t warnings = 0;
};
[[nodiscard]] ConfigInput read_config(const ConfigOptions& options,
                                      DiagnosticFormat format = DiagnosticFormat::text);

/// The same of what read_configuration() gave.
[[nodiscard]] ConfigInput report_configuration(Result<daemon::Configuration> configuration,
                                               DiagnosticFormat format);

/// Tells mistakes and warnings.
void report(const config::Diagnostics& diagnostics, DiagnosticFormat format);

/// Tells why it cannot be done, and returns the exit code that says so.
[[nodiscard]] int report_failure(const Error& error, DiagnosticFormat format);

[[nodiscard]] size_t warning_count(const config::Diagnostics& diagnostics);

/// "2 errors", "1 warning".
[[nodiscard]] std::string count_text(size_t count, const std::string& noun);

}  // namespace patchbay::cli
