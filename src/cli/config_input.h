#pragma once

#include "cli/options.h"
#include "daemon/configuration.h"

namespace patchbay::cli {

/// Reads the configuration; its mistakes and warnings, or why it could not be read, are printed on
/// standard error. Without a plan `exit_code` says what to return.
struct ConfigInput {
  rules::PlanPtr plan;
  int exit_code = 0;
};
[[nodiscard]] ConfigInput read_config(const ConfigOptions& options);

/// "2 errors", "1 warning".
[[nodiscard]] std::string count_of(size_t count, const std::string& noun);

}  // namespace patchbay::cli
