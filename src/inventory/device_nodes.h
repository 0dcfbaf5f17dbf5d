#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"

namespace patchbay::inventory {

/// What a path of the host leads to, links followed: the number of a device node; an Error if it
/// is none, or is not there.
using NodeNumber = std::function<Result<DeviceNumber>(const std::string& host_path)>;

/// A device node that is not what it was when its device was last looked at.
struct ChangedNode {
  std::string reason;
  std::vector<std::string> devices;  ///< DeviceFacts::key of what is to be looked at again.
};

/// Looks at each device node that a container is given, once: the runtime would make one of
/// whatever is there. Nodes that the container can do without are not asked about.
[[nodiscard]] std::optional<ChangedNode> find_changed_node(const Snapshot& snapshot,
                                                           std::span<const std::string> ids,
                                                           const Allocation& allocation,
                                                           const NodeNumber& number_of);

}  // namespace patchbay::inventory
