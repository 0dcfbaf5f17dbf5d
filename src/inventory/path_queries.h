#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/snapshot.h"
#include "model/facts.h"

namespace patchbay::inventory {

/// The state of a path of the host; links are followed.
struct PathState {
  bool exists = false;
  /// The number of the device node. An Error that names the path if it is not a device node or does
  /// not exist.
  Result<DeviceNumber> node;
};
using PathStates = std::map<std::string, PathState>;

/// Collects the path states that an allocation needs, so that the event loop need not wait. The
/// caller builds the allocation with the known states. If unknown() is then not empty, the caller
/// reads these paths, passes them to learn(), and builds the allocation again. Not thread-safe.
class PathQueries {
 public:
  /// The state if it is available without waiting; otherwise none.
  using NonblockingLookup = std::function<std::optional<PathState>(const std::string& path)>;

  explicit PathQueries(NonblockingLookup lookup) : nonblocking_lookup_(std::move(lookup)) {}

  /// As PathExists. An unknown path counts as existing.
  bool exists(const std::string& path, bool device);
  /// Queries the nodes that find_changed_node() checks.
  void query_nodes(const Allocation& allocation);
  /// As NodeNumber, from the known states.
  [[nodiscard]] Result<DeviceNumber> node(const std::string& path) const;

  /// Queried paths with an unknown state.
  [[nodiscard]] const std::set<std::string>& unknown() const { return unknown_; }
  void learn(PathStates states);

 private:
  const PathState* query(const std::string& path);

  NonblockingLookup nonblocking_lookup_;
  PathStates known_;
  std::set<std::string> unknown_;
};

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
