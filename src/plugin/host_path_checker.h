#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/path_queries.h"

namespace patchbay::plugin {

/// Reads the state of paths on the host, for answers to the kubelet. Called on gRPC's thread, which
/// must not wait for a file system.
class HostPathChecker {
 public:
  /// An Error names the unresponsive path.
  using PathsChecked = std::function<void(Result<inventory::PathStates>)>;

  virtual ~HostPathChecker() = default;

  /// Returns the state if the kernel has it in memory; otherwise use check().
  [[nodiscard]] virtual std::optional<inventory::PathState> try_cached(const std::string& path) = 0;

  /// Reads the states of all these paths on another thread. `looked` is called once, from any
  /// thread, also from the caller's. If a path is unresponsive it is called late or never.
  virtual void check(std::vector<std::string> paths, PathsChecked done) = 0;
  /// Returns why check() for these paths takes long.
  [[nodiscard]] virtual Error timeout_error(const std::vector<std::string>& paths) = 0;
};

}  // namespace patchbay::plugin
