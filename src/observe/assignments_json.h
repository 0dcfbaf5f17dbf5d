#pragma once

#include <string>

#include "base/json_text.h"
#include "observe/node_status.h"

/// Who holds what, as JSON. Names are as the kubelet has them: json_text() makes them harmless.
/// Pure.
namespace patchbay::observe {

/// How that is known, and what is held and not offered any more: of one resource, or with an empty
/// name of all.
[[nodiscard]] Json pod_resources_json(const NodeStatus& status, const std::string& resource);

/// Adds to each of the resource's units who holds it, and to its counts how many are held.
void add_assignments(const NodeStatus& status, const std::string& resource, Json& entry);

}  // namespace patchbay::observe
