#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "loop/work_threads.h"

namespace patchbay::loop {

/// The processes that a loop starts, from the request to their end. Work threads start them
/// (program_start.h). Until kill_all(), only the loop's thread reaps them, on SIGCHLD. So the
/// kernel cannot reuse the pid of a started process before the process is reaped here. Loop thread.
///
/// When a program ends, the rest of its process group is killed. A process that left the group by
/// setsid is recognized by an environment variable with a unique value per run. If it becomes our
/// child (we are PID 1 or a subreaper), it is killed when its run has ended. It survives if it
/// removed the variable, or if we may not read its environment.
class Processes {
 public:
  explicit Processes(EventLoop& loop);

  /// See EventLoop::spawn().
  [[nodiscard]] Subscription start(ProcessSpec spec, BlockingWork& work, ProcessEvents events);

  /// See UvLoop::reap_inherited().
  [[nodiscard]] Subscription reap_inherited();

  /// For the end of the loop: kills everything that runs or is being started, with its leftover
  /// processes. A separate thread reaps them. Blocks for 50 ms at most.
  void kill_all();

 private:
  struct Run;
  using RunPtr = std::shared_ptr<Run>;

  void watch_sigchld();
  void started(const RunPtr& run, WorkOutcome outcome);
  static void cancel(Run& run);
  void erase_finished();
  void on_child();
  void reap_runs();
  void reap_inherited_children();
  void report_ends();
  void find_orphans();
  void kill_if_orphan(pid_t pid, const std::string& run);

  EventLoop& loop_;
  std::vector<RunPtr> runs_;  ///< Runs without a reported end.
  /// Prefix of the run id in the environment of each program and its descendants.
  std::string run_id_prefix_;
  uint64_t started_ = 0;
  bool reaps_inherited_ = false;  ///< A Subscription of reap_inherited() exists.
  Subscription signal_;
  /// A separate thread reads environments: such a read may block while the process locks its
  /// memory.
  std::optional<WorkThreads> readers_;
  std::map<pid_t, Subscription> orphan_checks_;  ///< Checks of inherited children.
  WeakSelf<Processes> weak_self_{this};
};

}  // namespace patchbay::loop
