#pragma once

#include <string>

#include "base/result.h"
#include "cli/options/options.h"
#include "daemon/configuration.h"

namespace patchbay::cli {

/// Returns the first name of the node that is set: the option, $NODE_NAME or the host name. Empty:
/// none is set. Returns an Error if it is not a valid node name.
[[nodiscard]] Result<std::string> node_name(const ConfigOptions& options);

/// Calls daemon::read_configuration() with node_name(), or returns its Error.
[[nodiscard]] Result<daemon::Configuration> read_configuration(const ConfigOptions& options);

/// Calls daemon::check_configurations() with the same name of the node.
[[nodiscard]] Result<daemon::CheckedConfigurations> check_configurations(
    const ConfigOptions& options);

/// The format of diagnostics: text with lines of the source for people, or log lines for programs.
enum class DiagnosticFormat { text, log };

/// A configuration whose errors and warnings are already printed on standard error. If `plan` is
/// null, the command must end with `exit_code`.
struct ConfigInput {
  rules::PlanPtr plan;
  daemon::Configuration configuration{};  ///< The one that `plan` is from.
  int exit_code = 0;
  size_t warnings = 0;
};
/// Calls read_configuration(), and report_configuration() for its result.
[[nodiscard]] ConfigInput read_config(const ConfigOptions& options,
                                      DiagnosticFormat format = DiagnosticFormat::text);

/// Prints the diagnostics, or the Error, of a result of read_configuration().
[[nodiscard]] ConfigInput report_configuration(Result<daemon::Configuration> configuration,
                                               DiagnosticFormat format);

/// Prints errors, warnings and notes.
void report(const config::Diagnostics& diagnostics, DiagnosticFormat format);

/// Prints the error and returns the exit code for it.
[[nodiscard]] int report_failure(const Error& error, DiagnosticFormat format);

[[nodiscard]] size_t warning_count(const config::Diagnostics& diagnostics);

/// Returns a text such as "2 errors" or "1 warning".
[[nodiscard]] std::string count_text(size_t count, const std::string& noun);

}  // namespace patchbay::cli
