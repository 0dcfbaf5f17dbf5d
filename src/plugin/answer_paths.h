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

/// Reads the state of paths on the host, for answers to the kubelet. gRPC's thread must not wait
/// for a file system. Create and destroy it on the loop thread.
class AnswerPaths {
 public:
  /// An Error names the unresponsive path.
  using PathsChecked = std::function<void(Result<inventory::PathStates>)>;

  /// `loop` outlives this.
  AnswerPaths(loop::EventLoop& loop, const paths::HostRoot& root);

  /// Returns the state if the kernel has it in memory; otherwise use check(). Any thread.
  [[nodiscard]] std::optional<inventory::PathState> try_cached(const std::string& path) const;
  /// Reads the states of all these paths on work threads. `done` is called once, later, on the loop
  /// thread, or never if this is destroyed before. Any thread.
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
