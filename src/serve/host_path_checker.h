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
class HostPathChecker {
 public:
  /// An Error says which path does not answer.
  using PathsChecked = std::function<void(Result<inventory::PathStates>)>;

  virtual ~HostPathChecker() = default;

  /// What can be told without waiting; none: it takes a look().
  [[nodiscard]] virtual std::optional<inventory::PathState> try_cached(const std::string& path) = 0;

  /// Looks at all of them, elsewhere. `looked` is called once, from any thread, also from this one;
  /// late or never if one of them hangs.
  virtual void check(std::vector<std::string> paths, PathsChecked looked) = 0;
  /// Why a look() at these takes so long.
  [[nodiscard]] virtual Error timeout_error(const std::vector<std::string>& paths) = 0;
};

}  // namespace patchbay::serve
