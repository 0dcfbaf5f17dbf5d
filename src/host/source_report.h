#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/log.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// Finds out whether udevd's events and records reach this process, and logs once if they do not.
/// Pure: time is passed in, and messages go to `log`.
class SourceReport {
 public:
  /// After this time, a message that udev should have sent counts as missing.
  static constexpr loop::Milliseconds kGrace{1000};

  using Log = std::function<void(log::Level level, const std::string& message)>;
  explicit SourceReport(Log log) : log_(std::move(log)) {}

  void started(bool udevd_runs);
  /// Call it when the monitor was reopened: earlier messages do not count.
  void monitor_opened() { received_udev_event_ = false; }
  void udev_message(loop::Time now);
  /// Call it when udevd's queue, or any record in its database, changed.
  void udevd_activity(loop::Time now) { last_activity_ = now; }
  /// Whether udevd showed no activity in the last `time`.
  [[nodiscard]] bool quiet_for(loop::Milliseconds time, loop::Time now) const {
    return !last_activity_ || now >= *last_activity_ + time;
  }
  /// Call it when udev wrote the record of a device for which the monitor should deliver a message.
  void database_record(loop::Time now);
  /// Call it when udevd has no queue, but reported nothing about a device in time. Returns true if
  /// udevd showed no activity for kGrace. Then do not wait for udevd until it shows activity again.
  bool is_udevd_unreachable(loop::Time now);

  /// When check() may log something.
  [[nodiscard]] std::optional<loop::Time> next_check() const;
  void check(loop::Time now);

  /// Whether a message of udev was received since the monitor was opened.
  [[nodiscard]] bool received_udev_event() const { return received_udev_event_; }

 private:
  Log log_;
  bool received_udev_event_ = false;
  std::optional<loop::Time> last_activity_;  ///< Any activity of udevd.
  std::optional<loop::Time> first_record_;   ///< Set until its grace period ends.
  bool logged_no_udevd_ = false;
  bool logged_no_messages_ = false;
  bool logged_unreachable_ = false;
};

}  // namespace patchbay::host
