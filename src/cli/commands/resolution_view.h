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

/// Returns a text such as "lab.yaml:12:5".
[[nodiscard]] std::string position_text(const config::Position& at);

/// Returns a line for each failed condition: `lab.yaml:12:5: name: "x" -- name is "y"`. Conditions
/// inside another one are indented.
[[nodiscard]] std::string mismatch_lines(std::span<const rules::Mismatch> mismatches,
                                         const std::string& indent);

/// The layout of resolution_table().
struct ResolutionLayout {
  TableLayout table{};
  bool wide = false;  ///< Shows paths in sysfs instead of device nodes.
  /// Formats the time of a unit's last change, given in UTC. If empty, the time is not shown.
  std::function<std::string(const std::string& utc)> since{};
};

/// Returns the units that this node offers, as JSON for programs and for resolution_table(). The
/// format is a stable interface (schemas/discover.v1.schema.json).
[[nodiscard]] Json resolution_json(const rules::Plan& plan, const inventory::Resolution& resolution,
                                   const std::vector<status::UnmatchedGroup>& unmatched,
                                   const WallClock& clock);

/// Returns the same data as text for people. A row for each unit comes first. Devices that are not
/// offered, excluded resources, the nearest candidates of empty resources, and warnings follow.
/// Device strings are made printable. `json` is the resolution_json() of `plan` and `unmatched`.
[[nodiscard]] std::string resolution_table(const Json& json, const rules::Plan& plan,
                                           const std::vector<status::UnmatchedGroup>& unmatched,
                                           const ResolutionLayout& layout = {});

/// The results of one complete scan of the host.
struct Findings {
  std::vector<status::UnmatchedGroup> unmatched;
  Json json;  ///< The model of `discover -o json`.
};

/// Returns the findings for an inventory that was read from `root`. If a resource is empty, it
/// reads the devices of `root` again for the nearest candidates. Blocks.
[[nodiscard]] Findings findings_of(const inventory::Inventory& inventory,
                                   const paths::HostRoot& root);

}  // namespace patchbay::cli
