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
  /// The number of the device node. An Error that names the path if no device node exists there.
  Result<DeviceNumber> node;
};
using PathStates = std::map<std::string, PathState>;

/// Collects the path states that an allocation needs, so that no thread waits for a file system
/// while it builds the allocation. The caller builds the allocation with the known states. If
/// unknown() is then not empty, the caller reads these paths on a work thread, passes the states to
/// learn(), and builds the allocation again. Not thread-safe.
class PathQueries {
 public:
  /// Returns the state if it is available without blocking.
  using NonblockingLookup = std::function<std::optional<PathState>(const std::string& path)>;

  explicit PathQueries(NonblockingLookup lookup) : nonblocking_lookup_(std::move(lookup)) {}

  /// Implements PathExists. A path with an unknown state counts as existing.
  bool exists(const std::string& path, bool device);
  /// Queries the device nodes that find_changed_node() checks.
  void query_nodes(const Allocation& allocation);
  /// Implements NodeNumber with the known states.
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

/// Returns the number of the device node at a path; links are followed. An Error if there is none.
using NodeNumber = std::function<Result<DeviceNumber>(const std::string& host_path)>;

/// A device node that is missing, or that has another number than its device had at the last read.
struct ChangedNode {
  std::string reason;
  std::vector<std::string> devices;  ///< DeviceFacts::key of the units' devices, to be read again.
};

/// Returns the first changed device node of an allocation. Without this check, the container would
/// get whatever device has the path by then. Optional nodes are not checked.
[[nodiscard]] std::optional<ChangedNode> find_changed_node(const Snapshot& snapshot,
                                                           std::span<const std::string> ids,
                                                           const Allocation& allocation,
                                                           const NodeNumber& number_of);

}  // namespace patchbay::inventory
