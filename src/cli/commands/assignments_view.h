#pragma once

#include <optional>
#include <string>

#include "base/json_text.h"
#include "cli/terminal/table.h"

/// Formats the holders of units from a status. A holder is a container that has the unit. Pure.
namespace patchbay::cli {

/// Returns a text such as "default/pod/container".
[[nodiscard]] std::string container_text(const Json& holder);

/// Returns all holders of a unit; without `wide`, the first one and the number of the others. If
/// no holder is reported, returns the age of the last allocation.
[[nodiscard]] std::string assignments_text(const Json& status, const Json& unit, bool wide);

/// Returns how old the known unit holders are; nullopt if PodResources is disabled.
[[nodiscard]] std::optional<Cell> pod_resources_cell(const Json& status);

/// Returns a table of the units that a container has but that are no longer offered. An empty
/// `resource` means all resources.
[[nodiscard]] Table withdrawn_units_table(const Json& status, const std::string& resource,
                                          bool wide);

}  // namespace patchbay::cli
