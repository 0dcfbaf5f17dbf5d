#pragma once

#include <functional>
#include <string>

#include "host/directory_watch.h"

namespace patchbay::host {

/// Follows what udevd shows of itself in /run/udev: `control` is there while it runs, `queue` while
/// it has events to work on. Loop thread.
class UdevdState {
 public:
  struct Callbacks {
    /// udevd came (or was started anew) or went.
    std::function<void(bool runs)> on_udevd;
    /// Its queue began or ended; an end is told also when the beginning was too short to see.
    std::function<void(bool exists)> on_queue;
  };

  /// `directory` is /run/udev but in tests; it need not exist.
  UdevdState(loop::Inotify& inotify, std::string directory, Callbacks callbacks);

  /// Begins to watch. The state found then is not told: ask for it.
  void start();

  [[nodiscard]] bool udevd_runs() const { return udevd_runs_; }
  [[nodiscard]] bool queue_exists() const { return queue_exists_; }
  /// Whether `control` is that of a udevd that was killed: nobody listens there.
  [[nodiscard]] bool udevd_is_dead() const;
  /// Looks, for who cannot wait until the event of a queue's beginning is read.
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
  DirectoryWatch watch_;
};

}  // namespace patchbay::host
