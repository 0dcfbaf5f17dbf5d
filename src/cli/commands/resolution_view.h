#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/wall_clock.h"
#include "cli/terminal/table.h"
#include "inventory/inventory.h"
#include "inventory/resolution.h"
#include "paths/host_root.h"
#include "rules/match/mismatch.h"
#include "rules/plan/plan_fwd.h"
#include "status/node_status.h"

namespace patchbay::cli {

/// "lab.yaml:12:5"
[[nodiscard]] std::string position_text(const config::Position& at);

/// One line for each failed condition: `lab.yaml:12:5: name: "x" -- name is "y"`. Conditions inside
/// another one are indented.
[[nodiscard]] std::string mismatch_lines(std::span<const rules::Mismatch> mismatches,
                                         const std::string& indent);

/// The layout of the table for people.
struct ResolutionLayout {
  TableLayout table{};
  bool wide = false;  ///< Paths in sysfs instead of device nodes.
  /// The text for the time of a unit's last change, given in UTC; empty: not shown.
  std::function<std::string(const std::string& utc)> since{};
};

/// The units that this node offers, for programs and as the model of the table. The format is a
/// stable interface (schemas/discover.v1.schema.json).
[[nodiscard]] Json resolution_json(const rules::Plan& plan, const inventory::Resolution& resolution,
                                   const std::vector<status::UnmatchedGroup>& unmatched,
                                   const WallClock& clock);

/// The same for people. A row per unit is followed by devices that are not offered, excluded
/// resources, the nearest candidates of empty resources, and warnings. Device strings are made
/// printable. `json` is made from the other two.
[[nodiscard]] std::string resolution_table(const Json& json, const rules::Plan& plan,
                                           const std::vector<status::UnmatchedGroup>& unmatched,
                                           const ResolutionLayout& layout = {});

/// The result of one complete scan.
struct Findings {
  std::vector<status::UnmatchedGroup> unmatched;
  Json json;  ///< The model of `discover -o json`.
};

/// Describes the devices that were found in `root`. Searches the nearest candidates of empty
/// resources, which reads that host again. Blocks.
[[nodiscard]] Findings findings_of(const inventory::Inventory& inventory,
                                   const paths::HostRoot& root);

}  // namespace patchbay::cli
