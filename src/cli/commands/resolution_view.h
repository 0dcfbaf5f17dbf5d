#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/wall_clock.h"
#include "cli/terminal/table.h"
#include "inventory/inventory.h"
#include "status/unmatched_group.h"

namespace patchbay::cli {

/// The layout of the table for people.
struct ResolutionLayout {
  TableLayout table{};
  bool wide = false;  ///< Paths in sysfs instead of device nodes.
  WallClock clock{};
  /// The text for the time of a unit's last change, given in UTC; empty: not shown.
  std::function<std::string(const std::string& utc)> since{};
};

/// The units that this node offers, for people. A row per unit is followed by refused devices with
/// reasons, excluded resources, the nearest candidates of empty resources, and warnings. Device
/// strings are made printable.
[[nodiscard]] std::string resolution_table(const inventory::Inventory& inventory,
                                           const std::vector<status::UnmatchedGroup>& unmatched,
                                           const ResolutionLayout& layout = {});

enum class JsonLayout { indented, one_line };

/// The same for programs. The format is a stable interface (docs/commands.md). Bytes that are not
/// UTF-8 become U+FFFD.
[[nodiscard]] std::string resolution_json(const rules::Plan& plan,
                                          const inventory::Resolution& resolution,
                                          const std::vector<status::UnmatchedGroup>& unmatched,
                                          JsonLayout layout, const WallClock& clock);

}  // namespace patchbay::cli
