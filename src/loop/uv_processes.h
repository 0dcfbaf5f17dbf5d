#pragma once

#include <sys/types.h>
#include <uv.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// The processes that one libuv loop has started and not yet seen the end of. The loop's data are
/// the Turns of its thread. Loop thread.
///
/// What a program leaves in its process group is killed with it. What left the group, by setsid, is
/// known by a variable that each run has another value of. Where it becomes our child, as PID 1's
/// and a subreaper's, it is killed when its run has ended; what has thrown the variable away, and
/// what we may not look at, is not known to be ours, and lives on.
class UvProcesses {
 public:
  explicit UvProcesses(uv_loop_t& loop);

  /// As EventLoop::spawn().
  [[nodiscard]] Result<Subscription> start(const ProcessSpec& spec,
                                           std::move_only_function<void(ProcessEnd)> on_end);

  /// Takes the ends of all children that were not started here, and kills those that a program
  /// which has ended left behind. False: one of ours, which libuv is about to take, may stand
  /// before others.
  [[nodiscard]] bool reap_inherited() const;

  /// The loop ends: what was killed but cannot end soon is left to whoever inherits it. Blocks for
  /// 50 ms at most.
  void forget();

 private:
  struct Child;
  void kill_strays() const;
  [[nodiscard]] bool is_stray(pid_t pid) const;
  void ended(Child* child, ProcessEnd end);

  uv_loop_t& loop_;
  std::map<pid_t, Child*> children_;
  /// In the environment of each program, and so of all that it starts: whose they are.
  std::string mark_;
  uint64_t runs_ = 0;
};

}  // namespace patchbay::loop
