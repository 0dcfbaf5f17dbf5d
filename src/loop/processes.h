#pragma once

#include <memory>
#include <vector>

#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "loop/work_queue.h"

namespace patchbay::loop {

/// Starts the programs of a loop, and reports their ends. Work threads start them
/// (program_start.h). Until kill_all(), only the loop's thread reaps them, on SIGCHLD. So the
/// kernel cannot reuse the pid of a process before this class has reaped the process. Loop thread.
///
/// When a program ends, the rest of its process group is killed. A process that left the group (by
/// setsid, as a daemon does) is not killed.
class Processes {
 public:
  explicit Processes(EventLoop& loop) : loop_(loop) {}

  /// See EventLoop::spawn().
  [[nodiscard]] Subscription start(ProcessSpec spec, BlockingWork& work, ProcessEvents events);

  /// See UvLoop::reap_inherited().
  [[nodiscard]] Subscription reap_inherited();

  /// Kills all programs that run or are being started, with their process groups. Does not wait for
  /// their end and reaps none of them. Call it at the end of the loop.
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

  EventLoop& loop_;
  std::vector<RunPtr> runs_;      ///< Programs whose end is not reported yet.
  bool reaps_inherited_ = false;  ///< A Subscription of reap_inherited() exists.
  Subscription signal_;
  WeakSelf<Processes> weak_self_{this};
};

}  // namespace patchbay::loop
