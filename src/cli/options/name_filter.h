#pragma once

#include <string>

#include "base/result.h"
#include "cli/options/options.h"

namespace patchbay::cli {

/// Parses a regular expression that matches anywhere in a name. An Error completes "--option …".
[[nodiscard]] Result<NameFilter> parse_name_filter(const std::string& regex);

}  // namespace patchbay::cli
