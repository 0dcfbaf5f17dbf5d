#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// An event of a watched directory or file: an inotify mask (see inotify(7)) and the name of the
/// entry. The name is empty for events of the directory or file itself. `overflow`: events were
/// lost, check everything.
struct InotifyEvent {
  uint32_t mask = 0;
  std::string name;
  [[nodiscard]] bool overflow() const;
  /// The directory or file was deleted, moved or unmounted: the watch has ended.
  [[nodiscard]] bool is_watch_ended() const;
};

/// One inotify instance for the whole process, because the default limit per user is 128. It has
/// any number of watches, and several may be on one directory. Nothing is reported for /sys and
/// /proc. If no instance can be created, each watch fails until one can. Loop thread.
class Inotify {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Inotify>> create(EventLoop& loop);
  virtual ~Inotify() = default;

  /// Watches an existing directory for entries that appear and disappear, and for its own end.
  /// Follows a symbolic link. `extra_mask` adds events, such as IN_CLOSE_WRITE, for this watch
  /// only.
  [[nodiscard]] virtual Result<Subscription> watch(
      const std::string& directory, std::function<void(const InotifyEvent&)> on_event,
      uint32_t extra_mask = 0) = 0;

  /// Watches an existing file for writes, for changes that make it readable, and for its own end.
  /// Follows a symbolic link. Not for directories and devices, which would report every write.
  [[nodiscard]] virtual Result<Subscription> watch_file(
      const std::string& file, std::function<void(const InotifyEvent&)> on_event) = 0;

  /// Calls `retry` from time to time while the kernel refuses watches, until all are granted.
  /// Owners of refused watches then check their paths and request the watches again.
  [[nodiscard]] virtual Subscription on_exhaustion(const std::function<void()>& /*retry*/) {
    return {};
  }
  [[nodiscard]] virtual bool is_exhausted() const { return false; }
};

}  // namespace patchbay::loop
