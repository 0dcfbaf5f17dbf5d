#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/path_queries.h"

namespace patchbay::serve {

/// What stands at paths of the host, for answers to the kubelet. gRPC's thread, which waits for no
/// file system.
class HostPaths {
 public:
  /// An Error says which path does not answer.
  using Looked = std::function<void(Result<inventory::PathStates>)>;

  virtual ~HostPaths() = default;

  /// What can be told without waiting; none: it takes a look().
  [[nodiscard]] virtual std::optional<inventory::PathState> at_once(const std::string& path) = 0;

  /// Looks at all of them, elsewhere. `looked` is called once, from any thread, also from this one;
  /// late or never if one of them hangs.
  virtual void look(std::vector<std::string> paths, Looked looked) = 0;
  /// Why a look() at these takes so long.
  [[nodiscard]] virtual Error lateness(const std::vector<std::string>& paths) = 0;
};

}  // namespace patchbay::serve
