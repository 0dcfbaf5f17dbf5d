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

/// The processes that one loop has started, from when they are asked for to their ends. They are
/// started on work threads (program_start.h), and reaped on the loop's thread alone, when SIGCHLD
/// comes: so a number is known to be that of our process until it is reaped here. Loop thread.
///
/// What a program leaves in its process group is killed with it. What left the group, by setsid, is
/// known by a variable that each run has another value of. Where it becomes our child, as PID 1's
/// and a subreaper's, it is killed when its run has ended; what has thrown the variable away, and
/// what we may not look at, is not known to be ours, and lives on.
class Processes {
 public:
  explicit Processes(EventLoop& loop);

  /// As EventLoop::spawn().
  [[nodiscard]] Subscription start(ProcessSpec spec, BlockingWork& work, ProcessEvents events);

  /// As UvLoop::reap_inherited().
  [[nodiscard]] Subscription reap_inherited();

  /// The loop ends: what still runs or is being started is killed, and what they leave behind. What
  /// cannot end soon is left to whoever inherits it. Blocks for 50 ms at most.
  void kill_all();

 private:
  struct Run;
  using RunPtr = std::shared_ptr<Run>;

  void watch_sigchld();
  void started(const RunPtr& run, WorkOutcome outcome);
  static void give_up(Run& run);
  void erase_finished();
  void on_child();
  void reap_runs();
  void reap_inherited_children();
  void report_ends();
  void find_orphans();
  void kill_if_orphan(pid_t pid, const std::string& run);

  EventLoop& loop_;
  std::vector<RunPtr> runs_;  ///< Those that have not ended, or have not been told.
  /// In the environment of each program, and so of all that it starts: whose they are.
  std::string run_id_prefix_;
  uint64_t started_ = 0;
  bool inherits_ = false;
  Subscription signal_;
  /// Who read what a process has in its memory may have to wait for that process.
  std::optional<WorkThreads> readers_;
  std::map<pid_t, Subscription> orphan_checks_;  ///< At children that we did not start.
  WeakSelf<Processes> weak_self_{this};
};

}  // namespace patchbay::loop
