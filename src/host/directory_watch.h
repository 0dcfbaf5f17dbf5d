#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/path_chain.h"
#include "loop/inotify.h"

namespace patchbay::host {

/// Watches one directory of ours that need not exist, and all that leads there: it is noticed when
/// it comes, when it goes, and when another one comes to stand there. Loop thread.
///
/// For directories in which a daemon beside us answers, udevd's and the kubelet's: they are in the
/// memory or on a disk of the machine, or nothing works at all. So these alone are looked at on the
/// loop's thread, and all that happens after start() is told.
class DirectoryWatch {
 public:
  struct Callbacks {
    /// Of an entry of the directory, or an overflow.
    std::function<void(const loop::InotifyEvent&)> on_event;
    /// Another directory is watched from now on, or none: what is in it by now is not told as
    /// events. Called from time to time, too, while the kernel has no watches for all of it.
    std::function<void(bool is_there)> on_changed;
  };

  /// `more`: as in Inotify::watch().
  DirectoryWatch(loop::Inotify& inotify, std::string directory, Callbacks callbacks,
                 uint32_t extra_mask = 0);
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  /// Begins to watch, or makes sure that the directory of that path is watched. Nothing is called
  /// for it.
  void start();
  /// Looks, as after an event: on_changed is called if another directory stands there. For what
  /// no directory tells: a file system that is mounted over it.
  void recheck();
  /// Ends watching, until start() again. Nothing is called for it.
  void stop();

  /// The kernel refused a watch: what happens there may not be reported.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  void recheck_after_refusal();
  void watch_chain();
  void watch_directory(const WatchPoint& now);
  void on_event(const loop::InotifyEvent& event);

  loop::Inotify& inotify_;
  std::string directory_;
  Callbacks callbacks_;
  uint32_t extra_mask_;
  std::vector<WatchPoint> chain_;
  std::vector<loop::Subscription> chain_watches_;
  WatchPoint watched_;  ///< The directory that is watched; no inode: none is.
  loop::Subscription watch_;
  bool refused_ = false;  ///< A watch, so that not all is told.
  loop::Subscription exhaustion_;
};

}  // namespace patchbay::host
