#pragma once

#include <memory>
#include <set>
#include <string>

#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "paths/directory_watch.h"
#include "paths/host_root.h"

namespace patchbay::host {

/// Follows udev's database: udevd renames the record of a device into place when it has processed
/// the device. This works where udev's messages do not arrive, such as in another network
/// namespace. Loop thread.
class UdevDatabase {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// A record was written, whether or not its device is found.
    virtual void record_written() = 0;
    /// The device of a written record was found: the record `id` is that of the device at
    /// `syspath`. Called after record_written().
    virtual void record_found(const std::string& id, const std::string& syspath) = 0;
    virtual void record_deleted(const std::string& id) = 0;
    /// Records may have changed without an event.
    virtual void records_lost() = 0;
  };

  /// `directory` is /run/udev/data except in tests, and need not exist. `listener` outlives this.
  UdevDatabase(loop::EventLoop& loop, loop::Inotify& inotify, std::string directory,
               Listener& listener);

  /// Begins to follow, or continues after stop(). Afterwards the caller scans the devices that
  /// already exist.
  void start();
  void stop();

 private:
  void on_event(const loop::InotifyEvent& event);
  void resolve();

  loop::EventLoop& loop_;
  Listener& listener_;
  std::set<std::string> written_;  ///< Records that wait for resolve().
  bool resolving_ = false;
  loop::WeakSelf<UdevDatabase> weak_self_{this};
  paths::DirectoryWatch watch_;
};

/// Logs a warning if udev's database is missing, or empty on a recorded machine. Without the
/// database, devices seem to have no properties, tags and links. Blocking.
void warn_without_database(const paths::HostRoot& root);

}  // namespace patchbay::host
