#pragma once

#include <functional>
#include <string>

#include "base/json_text.h"
#include "cli/terminal/table.h"

/// Makes tables of units, and of devices that are not offered, for people. `resources` is a list as
/// in the JSON of `status` and `discover`; missing values are shown as empty. Device strings are
/// made printable. Pure.
namespace patchbay::cli {

/// Selects the optional columns of a table of units.
struct UnitColumns {
  bool resource = false;  ///< Also adds rows with the reason for resources without units.
  bool id_source = false;
  /// Formats the time of a unit's last change, given in UTC. If empty, there is no column SINCE.
  std::function<std::string(const std::string& utc)> since{};
  /// Formats the containers that have a unit. If empty, there is no column ALLOCATED TO.
  std::function<std::string(const Json& unit)> allocated_to{};
  bool wide = false;  ///< Shows paths in sysfs instead of device nodes.
};

/// Returns a table with a row for each unit. A column that no unit needs is omitted.
[[nodiscard]] Table unit_table(const Json& resources, const UnitColumns& columns);

/// Returns a table with a row for each device, path or pattern that is not offered, or is only
/// partly offered. Uses only `resource` and `wide` of the columns.
[[nodiscard]] Table not_offered_table(const Json& resources, const UnitColumns& columns);

/// Returns a table with a row for each lost unit of the resources.
[[nodiscard]] Table lost_units_table(const Json& resources, bool resource_column);

[[nodiscard]] Cell health_cell(const Json& unit);
/// Returns why the unit is unhealthy. For a healthy unit, returns that it gives a container
/// nothing, or why it was unhealthy last.
[[nodiscard]] std::string reason_of(const Json& unit);
/// Returns the NUMA nodes of the unit, such as "0,1". Empty if none are reported.
[[nodiscard]] std::string joined_nodes(const Json& unit);

/// Returns a warning for the author of the configuration, folded to the layout's width.
[[nodiscard]] std::string warning_lines(const std::string& resource, const std::string& reason,
                                        const TableLayout& layout);
/// Returns the warnings of the resource. A warning about missing expected units comes first. Can be
/// empty.
[[nodiscard]] std::string warnings_of(const Json& resource, const TableLayout& layout);

}  // namespace patchbay::cli
