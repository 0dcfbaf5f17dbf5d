#pragma once

#include <optional>
#include <string>

#include "base/json_text.h"
#include "cli/table.h"

/// Who holds what, of the JSON that a daemon answers, for people. Pure.
namespace patchbay::cli {

/// "default/pod/container"
[[nodiscard]] std::string container_text(const Json& holder);

/// Who holds a unit, not `wide` one of them; that it was handed out only, as long as nobody is seen
/// to hold it.
[[nodiscard]] std::string assignments_text(const Json& status, const Json& unit, bool wide);

/// What is known of who holds what; none: it is not asked for.
[[nodiscard]] std::optional<Cell> pod_resources_cell(const Json& status);

/// Units that containers have and that are not offered any more; `resource`: of that only.
[[nodiscard]] Table withdrawn_units_table(const Json& status, const std::string& resource,
                                          bool wide);

}  // namespace patchbay::cli
