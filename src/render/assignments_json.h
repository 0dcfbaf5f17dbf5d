#pragma once

#include <string>

#include "base/json_text.h"
#include "status/node_status.h"

/// The containers that use units, as JSON. Names come unchanged from the kubelet; json_text()
/// escapes them. Pure.
namespace patchbay::render {

/// The source of the assignments, and the withdrawn units that containers still have. An
/// empty `resource` selects all resources.
[[nodiscard]] Json pod_resources_json(const status::NodeStatus& status,
                                      const std::string& resource);

/// Adds to each unit of the resource its containers, and to the counts the number of allocated
/// units.
void add_assignments(const status::NodeStatus& status, const std::string& resource, Json& entry);

}  // namespace patchbay::render
