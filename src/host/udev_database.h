#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "host/directory_watch.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"

namespace patchbay::host {

/// Follows udev's database: udevd renames a device's record into place when it is done with the
/// device. It reaches where udev's messages do not, such as another network namespace. Loop thread.
class UdevDatabase {
 public:
  struct Callbacks {
    /// udev wrote the device's record. The name of the record, and the device's syspath.
    std::function<void(const std::string& id, const std::string& syspath)> on_record;
    std::function<void(const std::string& id)> on_deleted;
    /// Records may have come and gone unseen.
    std::function<void()> on_lost;
    /// A record was written, whether or not its device is found.
    std::function<void()> on_written;
  };

  /// `directory` is /run/udev/data but in tests; it need not exist.
  UdevDatabase(loop::EventLoop& loop, loop::Inotify& inotify, std::string directory,
               Callbacks callbacks);

  /// Begins to follow it, or goes on after stop(); what there was before is for the caller to scan.
  void start();
  void stop();

 private:
  void on_event(const loop::InotifyEvent& event);
  void resolve();

  loop::EventLoop& loop_;
  Callbacks callbacks_;
  std::set<std::string> written_;  ///< Waiting for resolve().
  bool resolving_ = false;
  loop::WeakSelf<UdevDatabase> weak_self_{this};
  DirectoryWatch watch_;
};

/// Says so where there is none: absent values look as if the devices had none.
void warn_without_database();

}  // namespace patchbay::host
