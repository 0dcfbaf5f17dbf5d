#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/log.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// Finds out which event sources reach this process, and logs once what an operator should know.
/// Pure: time is passed in, and messages go to `log`.
class SourceReport {
 public:
  /// Delay after which udev's message for a database record, or any output of udevd for an event,
  /// counts as missing.
  static constexpr loop::Milliseconds kGrace{1000};

  using Log = std::function<void(log::Level level, const std::string& message)>;
  explicit SourceReport(Log log) : log_(std::move(log)) {}

  void started(bool udevd_runs);
  /// The monitor was reopened: earlier messages do not count.
  void monitor_opened() { received_udev_event_ = false; }
  void udev_message(loop::Time now);
  /// udevd's queue, or any record in its database, changed.
  void udevd_activity(loop::Time now) { last_activity_ = now; }
  /// Whether udevd showed no activity for this time.
  [[nodiscard]] bool quiet_for(loop::Milliseconds time, loop::Time now) const {
    return !last_activity_ || now >= *last_activity_ + time;
  }
  /// udev wrote the record of a device whose message the monitor would deliver.
  void database_record(loop::Time now);
  /// udevd is idle but reported nothing about a device. True: udevd showed no activity at all, so
  /// do not wait for it until it does.
  bool is_udevd_unreachable(loop::Time now);

  /// When check() may log something.
  [[nodiscard]] std::optional<loop::Time> next_check() const;
  void check(loop::Time now);

  /// Whether udev's messages reach this process.
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
