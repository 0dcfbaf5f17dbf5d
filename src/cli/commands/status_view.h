#pragma once

#include <string>

#include "base/json_text.h"
#include "base/result.h"
#include "cli/terminal/table.h"

/// Shows the status of a daemon as tables for people. `status` is its JSON
/// (schemas/status.v1.schema.json); missing values are shown as empty. Pure.
namespace patchbay::cli {

struct StatusLayout {
  TableLayout table;
  bool wide = false;
};

/// The lines of `patchbay status` above the table of resources: the node, its configuration, the
/// kubelet, and their problems. "NODE     worker-1, up 3d, patchbay 0.1.0".
[[nodiscard]] std::string status_head(const Json& status, const StatusLayout& layout);

/// The node, and a line for each resource.
[[nodiscard]] std::string status_table(const Json& status, const StatusLayout& layout);

/// Whether no device matches the resource.
[[nodiscard]] bool has_unmatched_groups(const Json& resource);

/// One resource with its units and the devices that it does not offer. `unmatched`: the groups of
/// /unmatched, or nothing.
[[nodiscard]] std::string resource_table(const Json& status, const Json& resource,
                                         const Json& unmatched, const StatusLayout& layout);

/// One unit of the resource.
[[nodiscard]] std::string unit_text(const Json& status, const Json& resource, const Json& unit,
                                    const StatusLayout& layout);

/// A line of `patchbay events`.
[[nodiscard]] std::string event_line(const Json& event, bool color);

/// The object with a name that a person typed: a resource, with or without its domain, or a unit by
/// its id.
struct StatusTarget {
  const Json* resource = nullptr;
  const Json* unit = nullptr;  ///< Null: the resource.
};
[[nodiscard]] Result<StatusTarget> find_target(const Json& status, const std::string& word);

}  // namespace patchbay::cli
