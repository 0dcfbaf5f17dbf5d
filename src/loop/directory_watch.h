#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "loop/inotify.h"

namespace patchbay::loop {

/// Watches one directory that need not exist: until it comes, and when it has gone, the nearest
/// directory above is watched. Loop thread.
class DirectoryWatch {
 public:
  struct Callbacks {
    /// Of an entry of the directory, or an overflow.
    std::function<void(const InotifyEvent&)> on_event;
    /// The directory is watched from now on: what is in it by now is not reported as events.
    std::function<void()> on_watched;
    /// The directory has gone.
    std::function<void()> on_gone;
  };

  /// `more`: as in Inotify::watch().
  DirectoryWatch(Inotify& inotify, std::string directory, Callbacks callbacks, uint32_t more = 0);
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  /// Begins to watch, or makes sure that it still watches the directory of that path; callbacks may
  /// come at once.
  void start();
  /// Ends watching, until start() again. Nothing is called for it.
  void stop();

 private:
  void arm();
  bool watch_it();
  void watch_above();
  void on_event(const InotifyEvent& event);

  Inotify& inotify_;
  std::string directory_;
  Callbacks callbacks_;
  uint32_t more_;
  bool watched_ = false;
  Subscription watch_;
};

}  // namespace patchbay::loop
