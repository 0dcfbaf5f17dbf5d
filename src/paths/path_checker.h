#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "paths/nonblocking_stat.h"
#include "paths/path_chain.h"

namespace patchbay::paths {

/// The state of a path, with links followed.
struct PathState {
  enum class Kind : uint8_t {
    unknown,  ///< It was not checked yet.
    exists,
    missing,
    fault,         ///< It cannot be checked; see `error`.
    unresponsive,  ///< The check hangs.
    no_thread,     ///< No worker thread is available.
  };
  Kind kind = Kind::unknown;
  mode_t mode = 0;   ///< As in stat(2), if something exists.
  dev_t number = 0;  ///< As in stat(2), of a device node. 0 if unknown or no node.
  int error = 0;
  friend bool operator==(const PathState&, const PathState&) = default;
};

/// A path to check.
struct PathQuery {
  std::string path;
  bool chain = false;   ///< Also find the chain of directories and links.
  bool inside = false;  ///< The chain includes the file or directory itself, for events inside it.
};

/// The result of one check.
struct PathResult {
  PathState state;
  std::optional<PathChain> chain{};  ///< Set if the query asked for it and the path is responsive.
  bool reported_again = false;       ///< The path is unresponsive, and another result follows.
  bool exhausted = false;            ///< Resource exhaustion: other fields are invalid.
};
using PathResults = std::map<std::string, PathResult>;

/// Checks what exists at paths, on work threads. An unresponsive path delays paths on other file
/// systems only briefly. Further paths on the same file system are checked one after the other.
/// When loop::kMaxHungPerMount of these paths hang, the rest counts as unresponsive. Loop thread.
/// The class is an interface, so that tests can supply results.
class PathChecker {
 public:
  using Found = std::move_only_function<void(PathResults)>;

  /// `queue` outlives the object. `stat`, if not null, learns the file systems of existing paths.
  [[nodiscard]] static std::unique_ptr<PathChecker> create(
      loop::WorkQueue& queue, HostRoot root, std::shared_ptr<NonblockingStat> stat = nullptr);
  virtual ~PathChecker() = default;

  /// Checks the paths, which must differ. `found` is called later, once or several times, until
  /// each path has a result. A path that takes longer than `timeout` is skipped in further checks
  /// while it hangs. If the Subscription ends, `found` is not called again.
  [[nodiscard]] virtual loop::Subscription run(std::vector<PathQuery> queries,
                                               loop::Milliseconds timeout, Found found) = 0;
};

}  // namespace patchbay::paths
