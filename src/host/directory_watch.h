#pragma once

#include <functional>
#include <string>

#include "loop/inotify.h"

namespace patchbay::host {

/// Watches one directory that need not exist: until it comes, and when it has gone, the nearest
/// directory above is watched. Loop thread.
class DirectoryWatch {
 public:
  struct Callbacks {
    /// Of an entry of the directory, or an overflow.
    std::function<void(const loop::InotifyEvent&)> on_event;
    /// The directory is watched from now on: what is in it by now is not reported as events.
    std::function<void()> on_watched;
    /// The directory has gone.
    std::function<void()> on_gone;
  };

  DirectoryWatch(loop::Inotify& inotify, std::string directory, Callbacks callbacks);
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  /// Begins to watch; callbacks may come at once.
  void start();
  /// Ends watching, until start() again. Nothing is called for it.
  void stop();

 private:
  void arm();
  bool watch_it();
  void watch_above();
  void on_event(const loop::InotifyEvent& event);

  loop::Inotify& inotify_;
  std::string directory_;
  Callbacks callbacks_;
  bool watched_ = false;
  loop::Subscription watch_;
};

}  // namespace patchbay::host
