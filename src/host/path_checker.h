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
#include "host/path_chain.h"
#include "loop/event_loop.h"
#include "loop/work_threads.h"

namespace patchbay::host {

/// What stands at a path, links followed.
struct PathState {
  enum class Kind : uint8_t {
    unknown,  ///< It was not checked yet.
    exists,
    missing,
    fault,         ///< `error` says why it cannot be checked.
    unresponsive,  ///< It hangs.
    no_thread,     ///< Too much hangs.
  };
  Kind kind = Kind::unknown;
  mode_t mode = 0;   ///< As stat(2) has it, of what is there.
  dev_t number = 0;  ///< Of a device node, as stat(2) has it; 0: not known, or no device node.
  int error = 0;
  friend bool operator==(const PathState&, const PathState&) = default;
};

/// A path to look at.
struct PathQuery {
  std::string path;
  bool chain = false;   ///< It is also asked how it is reached,
  bool inside = false;  ///< and where what happens inside shows.
};

/// What was found there.
struct PathResult {
  PathState state;
  std::optional<PathChain> chain{};  ///< If it was asked, and answered.
  bool reported_again = false;       ///< It does not answer, and is told again when it does.
  bool exhausted = false;            ///< For want of room the rest says nothing of the path.
};
using PathResults = std::map<std::string, PathResult>;

/// Looks what stands at paths. An interface, since tests say what is there. Loop thread; the
/// looking is done on work threads. What does not answer holds up no other path for long: those
/// that are on another file system go on at once, those on the same one side by side, a few at a
/// time.
class PathChecker {
 public:
  /// So many paths of a file system may hang, if its type is one that does; then no more are
  /// looked at there until one answers.
  static constexpr size_t kMaxHungPerMount = 4;
  using Found = std::move_only_function<void(PathResults)>;

  /// `threads` outlives this.
  [[nodiscard]] static std::unique_ptr<PathChecker> create(loop::WorkThreads& threads,
                                                           HostRoot root);
  virtual ~PathChecker() = default;

  /// `found` is called later, with all of them, each of another path, or with a part of them
  /// several times, until all were told. One that does not answer for `timeout` is not looked at
  /// again while it hangs. To end the Subscription is to hear nothing more.
  [[nodiscard]] virtual loop::Subscription run(std::vector<PathQuery> queries,
                                               loop::Milliseconds timeout, Found found) = 0;
};

}  // namespace patchbay::host
