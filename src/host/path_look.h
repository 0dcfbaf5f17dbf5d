#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/host_root.h"
#include "host/path_way.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"

namespace patchbay::host {

/// What stands at a path, links followed.
struct PathSeen {
  enum class Kind : uint8_t {
    unknown,  ///< It was not looked at yet.
    there,
    missing,
    fault,      ///< `error` says why it cannot be looked at.
    no_answer,  ///< It hangs.
    no_thread,  ///< Too much hangs.
  };
  Kind kind = Kind::unknown;
  mode_t mode = 0;  ///< As stat(2) has it, of what is there.
  int error = 0;
  friend bool operator==(const PathSeen&, const PathSeen&) = default;
};

/// A path to look at.
struct PathQuery {
  std::string path;
  bool way = false;     ///< It is also asked how it is reached,
  bool inside = false;  ///< and where what happens inside shows.
};

/// What was found there.
struct PathFound {
  PathSeen seen;
  std::optional<Way> way{};  ///< If it was asked, and answered.
};
using PathsFound = std::map<std::string, PathFound>;

/// Looks what stands at paths. An interface, since tests say what is there. Loop thread; the
/// looking is done on work threads.
class PathLook {
 public:
  using Done = std::move_only_function<void(PathsFound)>;

  /// `threads` outlives this.
  [[nodiscard]] static std::unique_ptr<PathLook> create(loop::WorkThreads& threads, HostRoot root);
  virtual ~PathLook() = default;

  /// `done` is called once, later, with all of them, each of another path. One that does not answer
  /// for `timeout` is not looked at again while it hangs. To end the Subscription is to hear
  /// nothing.
  [[nodiscard]] virtual loop::Subscription run(std::vector<PathQuery> queries,
                                               loop::Milliseconds timeout, Done done) = 0;
};

}  // namespace patchbay::host
