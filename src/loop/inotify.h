#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// What happened in a watched directory, or to a watched file: an inotify mask (see inotify(7)) and
/// the name of the entry, empty when it is about the directory or file itself. `overflow`: events
/// were lost, look at everything.
struct InotifyEvent {
  uint32_t mask = 0;
  std::string name;
  [[nodiscard]] bool overflow() const;
  /// The directory or file was deleted, moved or unmounted: the watch has ended.
  [[nodiscard]] bool is_watch_ended() const;
};

/// One inotify instance for the whole process (a user has 128 by default), shared by any number of
/// watches; several may be on one directory. Nothing is reported for /sys and /proc. Where there is
/// no room for one, each watch is refused until there is. Loop thread.
class Inotify {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Inotify>> create(EventLoop& loop);
  virtual ~Inotify() = default;

  /// Watches one existing directory for entries that appear and disappear, and for its own end. A
  /// symbolic link is followed. `extra_mask` adds to what is heard, e.g. IN_CLOSE_WRITE, by this
  /// watch alone.
  [[nodiscard]] virtual Result<Subscription> watch(
      const std::string& directory, std::function<void(const InotifyEvent&)> on_event,
      uint32_t extra_mask = 0) = 0;

  /// Watches one existing file for being written or made readable, and for its own end. A symbolic
  /// link is followed. Not for directories and devices, which would tell every write.
  [[nodiscard]] virtual Result<Subscription> watch_file(
      const std::string& file, std::function<void(const InotifyEvent&)> on_event) = 0;

  /// Calls `retry` from time to time while the kernel grants fewer watches than were asked for: who
  /// was refused one looks for itself, and asks again. Until the last of them is granted.
  [[nodiscard]] virtual Subscription on_exhaustion(const std::function<void()>& /*retry*/) {
    return {};
  }
  [[nodiscard]] virtual bool is_exhausted() const { return false; }
};

}  // namespace patchbay::loop
