#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/path_way.h"
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
                 uint32_t more = 0);
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  /// Begins to watch, or makes sure that the directory of that path is watched. Nothing is called
  /// for it.
  void start();
  /// Looks, as after an event: on_changed is called if another directory stands there. For what
  /// no directory tells: a file system that is mounted over it.
  void look_again();
  /// Ends watching, until start() again. Nothing is called for it.
  void stop();

  /// The kernel refused a watch: what happens there may not be reported.
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  void look_when_refused();
  void watch_way();
  void watch_directory(const Place& now);
  void on_event(const loop::InotifyEvent& event);

  loop::Inotify& inotify_;
  std::string directory_;
  Callbacks callbacks_;
  uint32_t more_;
  std::vector<Place> way_;
  std::vector<loop::Subscription> on_way_;
  Place standing_;  ///< The directory that is watched; no inode: none is.
  loop::Subscription watch_;
  bool refused_ = false;  ///< A watch, so that not all is told.
  loop::Subscription short_;
};

}  // namespace patchbay::host
