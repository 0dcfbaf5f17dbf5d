#pragma once

#include <string>

#include "base/json_text.h"
#include "base/result.h"
#include "cli/terminal/table.h"

/// Formats the status of a daemon as tables for people. `status` is the status as JSON
/// (schemas/status.v1.schema.json); missing values are shown as empty. Pure.
namespace patchbay::cli {

struct StatusLayout {
  TableLayout table;
  bool wide = false;
};

/// Returns the lines above the table of resources: the node, its configuration, the kubelet, and
/// their problems. The first line is such as "NODE worker-1, up 3d, patchbay 0.1.0".
[[nodiscard]] std::string status_head(const Json& status, const StatusLayout& layout);

/// Returns status_head(), and a line for each resource.
[[nodiscard]] std::string status_table(const Json& status, const StatusLayout& layout);

/// Whether the resource has no units, no refused devices and no unresponsive paths.
[[nodiscard]] bool has_unmatched_groups(const Json& resource);

/// Returns one resource with its units and the devices that it does not offer. `unmatched` has the
/// groups that the daemon's page /unmatched returned, or is null.
[[nodiscard]] std::string resource_table(const Json& status, const Json& resource,
                                         const Json& unmatched, const StatusLayout& layout);

/// Returns the details of one unit of the resource.
[[nodiscard]] std::string unit_text(const Json& status, const Json& resource, const Json& unit,
                                    const StatusLayout& layout);

/// Returns a line of `patchbay events`.
[[nodiscard]] std::string event_line(const Json& event, bool color);

/// A resource, or a unit of it.
struct StatusTarget {
  const Json* resource = nullptr;
  const Json* unit = nullptr;  ///< Null: the resource itself.
};
/// Finds the resource with the name `word`, with or without its domain, or the unit with the id
/// `word`.
[[nodiscard]] Result<StatusTarget> find_target(const Json& status, const std::string& word);

}  // namespace patchbay::cli
