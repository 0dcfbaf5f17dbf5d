#pragma once

#include <functional>
#include <string>
#include <utility>

#include "loop/event_loop.h"
#include "paths/directory_watch.h"

namespace patchbay::host {

/// Follows the state of udevd by files in /run/udev: `control` exists while udevd runs, and `queue`
/// while it has events to process. Loop thread.
class UdevdState {
 public:
  struct Callbacks {
    /// udevd started, restarted or exited.
    std::function<void(bool runs)> on_udevd;
    /// udevd's queue began or ended. The end is reported even if the begin was missed.
    std::function<void(bool exists)> on_queue;
  };

  /// `directory` is /run/udev except in tests. It need not exist.
  UdevdState(loop::Inotify& inotify, std::string directory, Callbacks callbacks);

  /// Begins to watch. The initial state is not reported: use the functions below.
  void start();

  [[nodiscard]] bool udevd_runs() const { return udevd_runs_; }
  [[nodiscard]] bool queue_exists() const { return queue_exists_; }
  /// Whether `control` belongs to a udevd that was killed: no process listens there.
  [[nodiscard]] bool udevd_is_dead() const;
  /// Checks the file itself, whereas queue_exists() changes only when the event of the file
  /// arrives.
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

/// Reports when udevd has processed all events that the kernel sent. The end of udevd's queue alone
/// is no proof, because an event that this process has read may still wait in udevd's socket. But
/// udevd would queue such an event soon. So the end of a queue counts only if there is no queue
/// kQuiet later. By then this process has also read udev's own message. Loop thread.
class UdevSettleDetector {
 public:
  static constexpr loop::Milliseconds kQuiet{20};

  struct Callbacks {
    /// Whether a queue exists at this moment, even if its begin was not reported yet.
    std::function<bool()> queue_exists;
    /// udevd has processed all events before `end`.
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
