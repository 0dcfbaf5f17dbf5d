#pragma once

#include <functional>
#include <string>
#include <utility>

#include "loop/event_loop.h"
#include "paths/directory_watch.h"

namespace patchbay::host {

/// Follows the state of udevd in /run/udev: `control` exists while it runs, `queue` while it has
/// events to process. Loop thread.
class UdevdState {
 public:
  struct Callbacks {
    /// udevd started, restarted or exited.
    std::function<void(bool runs)> on_udevd;
    /// Its queue began or ended. An end is also reported if the beginning was too short to see.
    std::function<void(bool exists)> on_queue;
  };

  /// `directory` is /run/udev except in tests. It need not exist.
  UdevdState(loop::Inotify& inotify, std::string directory, Callbacks callbacks);

  /// Begins to watch. The initial state is not reported: query it.
  void start();

  [[nodiscard]] bool udevd_runs() const { return udevd_runs_; }
  [[nodiscard]] bool queue_exists() const { return queue_exists_; }
  /// Whether `control` belongs to a udevd that was killed: no process listens there.
  [[nodiscard]] bool udevd_is_dead() const;
  /// Checks the file, for callers that cannot wait for the event of a new queue.
  [[nodiscard]] bool queue_exists_now() const { return exists("queue"); }

 private:
  void on_event(const loop::InotifyEvent& event);
  void check_files();
  void set_udevd(bool runs);
  void set_queue(bool exists);
  [[nodiscard]] bool exists(const char* name) const;

  std::string directory_;
  Callbacks callbacks_;
  bool started_ = false;
  bool udevd_runs_ = false;
  bool queue_exists_ = false;
  paths::DirectoryWatch watch_;
};

/// Reports when udevd has processed everything that it received. The end of its queue alone does
/// not prove that: an event that was read here already may still wait in udevd's socket. udevd
/// queues such an event at once. So an end counts only if no queue exists for kQuiet after it; by
/// then udev's own message has been read, too. Loop thread.
class UdevSettleDetector {
 public:
  static constexpr loop::Milliseconds kQuiet{20};

  struct Callbacks {
    /// Whether a queue exists at this moment, even if its beginning was not reported yet.
    std::function<bool()> queue_exists;
    /// Everything before `end` is processed.
    std::function<void(loop::Time end)> on_settled;
  };

  UdevSettleDetector(loop::EventLoop& loop, Callbacks callbacks)
      : loop_(loop), callbacks_(std::move(callbacks)) {}

  void queue_ended();

 private:
  loop::EventLoop& loop_;
  Callbacks callbacks_;
  loop::Subscription quiet_;
};

}  // namespace patchbay::host
