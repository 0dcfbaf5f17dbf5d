#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "paths/directory_watch.h"

namespace patchbay::host {

/// Follows udev's database: udevd renames the record of a device into place when it has processed
/// the device. This works where udev's messages do not arrive, such as in another network
/// namespace. Loop thread.
class UdevDatabase {
 public:
  struct Callbacks {
    /// udev wrote the record `id` of the device at `syspath`.
    std::function<void(const std::string& id, const std::string& syspath)> on_record;
    std::function<void(const std::string& id)> on_deleted;
    /// Records may have changed without an event.
    std::function<void()> on_lost;
    /// A record was written, whether or not its device is found.
    std::function<void()> on_written;
  };

  /// `directory` is /run/udev/data except in tests. It need not exist.
  UdevDatabase(loop::EventLoop& loop, loop::Inotify& inotify, std::string directory,
               Callbacks callbacks);

  /// Begins to follow, or continues after stop(). The caller scans what existed before.
  void start();
  void stop();

 private:
  void on_event(const loop::InotifyEvent& event);
  void resolve();

  loop::EventLoop& loop_;
  Callbacks callbacks_;
  std::set<std::string> written_;  ///< Records that wait for resolve().
  bool resolving_ = false;
  loop::WeakSelf<UdevDatabase> weak_self_{this};
  paths::DirectoryWatch watch_;
};

/// Logs that the database is missing, because then absent values look like values that the devices
/// do not have.
void warn_without_database();

}  // namespace patchbay::host
