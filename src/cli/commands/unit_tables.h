#pragma once

#include <functional>
#include <string>

#include "base/json_text.h"
#include "cli/terminal/table.h"

/// Tables of units and of devices that are not offered, for people. `resources` is a list as in the
/// JSON of `status` and `discover`; missing values are shown as empty. Device strings are made
/// printable. Pure.
namespace patchbay::cli {

/// The columns that not every table of units has.
struct UnitColumns {
  bool resource = false;  ///< With it, a resource without units has a row that says why.
  bool id_source = false;
  /// The text for a time in UTC; empty: no column.
  std::function<std::string(const std::string& utc)> since{};
  /// The containers that have a unit, as text; empty: no column.
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
/// "0,1"
[[nodiscard]] std::string joined_nodes(const Json& unit);

/// One warning for the author of the configuration, folded.
[[nodiscard]] std::string warning_lines(const std::string& resource, const std::string& reason,
                                        const TableLayout& layout);
/// All warnings of the resource, and that expected units are missing; can be empty.
[[nodiscard]] std::string warnings_of(const Json& resource, const TableLayout& layout);

}  // namespace patchbay::cli
