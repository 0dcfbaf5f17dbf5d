#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/path_queries.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "loop/work_queue.h"
#include "paths/host_root.h"
#include "paths/nonblocking_stat.h"
#include "paths/path_checker.h"

namespace patchbay::plugin {

/// Reads the state of host paths for answers to the kubelet. gRPC's thread must not block on a file
/// system, so blocking reads run on work threads. Create and destroy it on the loop thread.
class AnswerPaths {
 public:
  /// The states, or an Error that names a path that could not be checked.
  using PathsChecked = std::function<void(Result<inventory::PathStates>)>;

  /// `loop` outlives this object.
  AnswerPaths(loop::EventLoop& loop, const paths::HostRoot& root);

  /// Returns the state, or null if a blocking read is needed: then use check(). Any thread.
  [[nodiscard]] std::optional<inventory::PathState> try_cached(const std::string& path) const;
  /// Reads the states of all these paths on work threads. Calls `done` once, later, on the loop
  /// thread; never if this object is destroyed before. Any thread.
  void check(std::vector<std::string> paths, PathsChecked done);

 private:
  void begin(const std::vector<std::string>& paths, PathsChecked done);

  loop::EventLoop& loop_;
  std::shared_ptr<paths::NonblockingStat> stat_;
  loop::WorkQueue queue_;
  std::unique_ptr<paths::PathChecker> checker_;
  uint64_t next_check_ = 0;
  std::map<uint64_t, loop::Subscription> checks_;
  loop::WeakSelf<AnswerPaths> weak_self_{this};
};

}  // namespace patchbay::plugin
