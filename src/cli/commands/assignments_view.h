#pragma once

#include <optional>
#include <string>

#include "base/json_text.h"
#include "cli/terminal/table.h"

/// Shows the holders of units from the JSON of a daemon, for people. Pure.
namespace patchbay::cli {

/// "default/pod/container"
[[nodiscard]] std::string container_text(const Json& holder);

/// The holders of a unit; without `wide` the first one. A unit without a reported holder has the
/// time of its allocation.
[[nodiscard]] std::string assignments_text(const Json& status, const Json& unit, bool wide);

/// The state of the unit holders; nullopt if PodResources is disabled.
[[nodiscard]] std::optional<Cell> pod_resources_cell(const Json& status);

/// The units that containers have and that are no longer offered, of all resources or only of
/// `resource`.
[[nodiscard]] Table withdrawn_units_table(const Json& status, const std::string& resource,
                                          bool wide);

}  // namespace patchbay::cli
