#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// An event of a watched directory or file: an inotify mask (see inotify(7)) and the name of the
/// entry. The name is empty for events of the directory or file itself.
struct InotifyEvent {
  uint32_t mask = 0;
  std::string name;
  /// Whether events were lost. Then check everything.
  [[nodiscard]] bool overflow() const;
  /// Whether the directory or file was deleted, moved or unmounted. Then the watch has ended.
  [[nodiscard]] bool is_watch_ended() const;
};

/// Reports changes of directories and files. The whole process shares one inotify instance, because
/// the default limit per user is 128. A directory can have several watches. The kernel reports
/// nothing for /sys and /proc. While no instance can be created, each watch fails. Loop thread.
class Inotify {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Inotify>> create(EventLoop& loop);
  virtual ~Inotify() = default;

  /// Watches an existing directory. Reports entries that appear and disappear, and the end of the
  /// directory itself. Follows a symbolic link. `extra_mask` adds events, such as IN_CLOSE_WRITE,
  /// for this watch only.
  [[nodiscard]] virtual Result<Subscription> watch(
      const std::string& directory, std::function<void(const InotifyEvent&)> on_event,
      uint32_t extra_mask = 0) = 0;

  /// Watches an existing file. Reports writes, changes of its attributes, and its end. Follows a
  /// symbolic link. Do not use it for devices, which would report every write.
  [[nodiscard]] virtual Result<Subscription> watch_file(
      const std::string& file, std::function<void(const InotifyEvent&)> on_event) = 0;

  /// Calls `retry` from time to time while the kernel refuses watches, until none is refused. In
  /// `retry`, owners of refused watches check their paths, and request the watches again.
  [[nodiscard]] virtual Subscription on_exhaustion(const std::function<void()>& /*retry*/) {
    return {};
  }
  [[nodiscard]] virtual bool is_exhausted() const { return false; }
};

}  // namespace patchbay::loop
