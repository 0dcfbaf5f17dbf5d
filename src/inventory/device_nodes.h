#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "model/facts.h"

namespace patchbay::inventory {

/// The number of the device node at a path of the host; links are followed. An Error if the path is
/// not a device node or does not exist.
using NodeNumber = std::function<Result<DeviceNumber>(const std::string& host_path)>;

/// A device node that changed after its device was last read.
struct ChangedNode {
  std::string reason;
  std::vector<std::string> devices;  ///< DeviceFacts::key of the devices to read again.
};

/// Checks each device node of an allocation once, because a runtime creates a node of whatever the
/// path is. Optional nodes are not checked.
[[nodiscard]] std::optional<ChangedNode> find_changed_node(const Snapshot& snapshot,
                                                           std::span<const std::string> ids,
                                                           const Allocation& allocation,
                                                           const NodeNumber& number_of);

}  // namespace patchbay::inventory
