#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/facts.h"
#include "base/result.h"
#include "inventory/allocate.h"

namespace patchbay::inventory {

/// What stands at a path of the host, links followed.
struct PathState {
  bool exists = false;
  /// The number of the device node there. An Error if it is none, or not there; names the path.
  Result<DeviceNumber> node;
};
using PathStates = std::map<std::string, PathState>;

/// What an answer asks of paths of the host. It is made of what is known of them; where it asks for
/// more, it is no answer yet: who makes it finds out, and makes it anew. Not thread-safe.
class PathQueries {
 public:
  /// What can be told without waiting; none: it takes more.
  using NonblockingLookup = std::function<std::optional<PathState>(const std::string& path)>;

  explicit PathQueries(NonblockingLookup lookup) : nonblocking_lookup_(std::move(lookup)) {}

  /// As PathExists. What is not known counts as there.
  bool exists(const std::string& path);
  /// Asks for the nodes that find_changed_node() looks at.
  void query_nodes(const Allocation& allocation);
  /// As NodeNumber, of what is known.
  [[nodiscard]] Result<DeviceNumber> node(const std::string& path) const;

  /// What was asked for and is not known.
  [[nodiscard]] const std::set<std::string>& unknown() const { return unknown_; }
  void learn(PathStates states);

 private:
  const PathState* query(const std::string& path);

  NonblockingLookup nonblocking_lookup_;
  PathStates known_;
  std::set<std::string> unknown_;
};

}  // namespace patchbay::inventory
