#pragma once

#include <string>

#include "base/result.h"
#include "cli/options/options.h"
#include "daemon/configuration.h"

namespace patchbay::cli {

/// Reads the configuration for the node in the options, $NODE_NAME or the host name. Returns an
/// Error if that is not a valid node name.
[[nodiscard]] Result<daemon::Configuration> read_configuration(const ConfigOptions& options);

/// The same for configurations of several daemons: see daemon::check_configurations().
[[nodiscard]] Result<daemon::CheckedConfigurations> check_configurations(
    const ConfigOptions& options);

/// The format of diagnostics: text with snippets for people, or log lines for programs.
enum class DiagnosticFormat { text, log };

/// The result of reading a configuration. Its mistakes, its warnings, or its read error are already
/// printed on standard error. Without a plan, `exit_code` is the command's exit code.
struct ConfigInput {
  rules::PlanPtr plan;
  daemon::Configuration configuration{};  ///< With that plan.
  int exit_code = 0;
  size_t warnings = 0;
};
[[nodiscard]] ConfigInput read_config(const ConfigOptions& options,
                                      DiagnosticFormat format = DiagnosticFormat::text);

/// Prints the diagnostics of a result of read_configuration().
[[nodiscard]] ConfigInput report_configuration(Result<daemon::Configuration> configuration,
                                               DiagnosticFormat format);

/// Prints mistakes and warnings.
void report(const config::Diagnostics& diagnostics, DiagnosticFormat format);

/// Prints the error and returns the exit code for it.
[[nodiscard]] int report_failure(const Error& error, DiagnosticFormat format);

[[nodiscard]] size_t warning_count(const config::Diagnostics& diagnostics);

/// "2 errors", "1 warning".
[[nodiscard]] std::string count_text(size_t count, const std::string& noun);

}  // namespace patchbay::cli
