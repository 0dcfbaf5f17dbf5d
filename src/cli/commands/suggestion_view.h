#pragma once

#include <string>

#include "base/json_text.h"
#include "suggest/suggestion.h"

namespace patchbay::cli {

/// Returns the proposals of `patchbay suggest` as a configuration with comments. `resources_only`:
/// only the items of `resources`.
[[nodiscard]] std::string suggestion_text(const suggest::Report& report, bool resources_only);

[[nodiscard]] Json suggestion_json(const suggest::Report& report);

}  // namespace patchbay::cli
