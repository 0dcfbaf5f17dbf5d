#pragma once

#include <functional>
#include <string>

#include "base/json_text.h"
#include "cli/terminal/table.h"

/// Tables of units and of devices that are not offered, for people. `resources` is a list as in the
/// JSON of `status` and `discover`; missing values are shown as empty. Device strings are made
/// printable. Pure.
namespace patchbay::cli {

/// Selects the optional columns of a table of units.
struct UnitColumns {
  bool resource = false;  ///< Also adds a row for each resource without units, with the reason.
  bool id_source = false;
  /// Formats the time of a unit's last change, given in UTC. Empty: no column SINCE.
  std::function<std::string(const std::string& utc)> since{};
  /// Formats the containers that have a unit. Empty: no column ALLOCATED TO.
  std::function<std::string(const Json& unit)> allocated_to{};
  bool wide = false;  ///< Paths in sysfs instead of device nodes.
};

/// A row for each unit. A column that no unit needs is omitted.
[[nodiscard]] Table unit_table(const Json& resources, const UnitColumns& columns);

/// A row for each device, path or pattern that is not offered, or only in part. Uses `resource` and
/// `wide` of the columns.
[[nodiscard]] Table not_offered_table(const Json& resources, const UnitColumns& columns);

/// A row for each lost unit of the resources.
[[nodiscard]] Table lost_units_table(const Json& resources, bool resource_column);

[[nodiscard]] Cell health_cell(const Json& unit);
/// The reason of the unit's state; also the last one of a unit that is healthy again.
[[nodiscard]] std::string reason_of(const Json& unit);
/// The NUMA nodes of the unit, such as "0,1". Empty: none are reported.
[[nodiscard]] std::string joined_nodes(const Json& unit);

/// One warning for the author of the configuration, folded.
[[nodiscard]] std::string warning_lines(const std::string& resource, const std::string& reason,
                                        const TableLayout& layout);
/// The warnings of the resource, after one for missing expected units. Can be empty.
[[nodiscard]] std::string warnings_of(const Json& resource, const TableLayout& layout);

}  // namespace patchbay::cli
