#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "loop/inotify.h"
#include "paths/path_chain.h"

namespace patchbay::paths {

/// Watches one directory of our own file system, which need not exist. Reports events of its
/// entries, and whether the directory appears, disappears or is replaced. Loop thread.
///
/// Use it only for the directories of udevd and the kubelet. Checks run on the loop's thread, which
/// must not wait for a slow file system. These directories are in memory or on a local disk, and
/// without them nothing works. Every change after start() is reported.
class DirectoryWatch {
 public:
  struct Callbacks {
    /// An event of an entry, or an overflow.
    std::function<void(const loop::InotifyEvent&)> on_event;
    /// Another directory is watched, or none. The entries that it already has are not reported as
    /// events. Also called from time to time while some watches are refused.
    std::function<void(bool is_there)> on_changed;
  };

  /// `extra_mask`: see Inotify::watch().
  DirectoryWatch(loop::Inotify& inotify, std::string directory, Callbacks callbacks,
                 uint32_t extra_mask = 0);
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  /// Begins to watch, or verifies that the current directory is watched. Calls no callback.
  void start();
  /// Checks whether the directory was replaced, and if so calls on_changed. Call it after changes
  /// without an event, such as a file system mounted over the directory.
  void recheck();
  /// Ends watching until start(). Calls no callback.
  void stop();

  /// Whether the kernel refused a watch, so that changes may be missed.
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
  WatchPoint watched_;  ///< The watched directory. No inode: none is watched.
  loop::Subscription watch_;
  bool refused_ = false;  ///< A watch was refused, so changes may be missed.
  loop::Subscription exhaustion_;
};

}  // namespace patchbay::paths
