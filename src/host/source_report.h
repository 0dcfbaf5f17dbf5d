#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/log.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// Finds out which event sources reach this process, and says once what a person should know. Pure:
/// time is passed in, what there is to say goes to `log`.
class SourceReport {
 public:
  /// So long after a record in the database its twin message would have come, and so long after an
  /// event something of udevd would have been heard.
  static constexpr loop::Milliseconds kGrace{1000};

  using Log = std::function<void(log::Level level, const std::string& message)>;
  explicit SourceReport(Log log) : log_(std::move(log)) {}

  void started(bool udevd_runs);
  /// The monitor was opened anew: what it heard before does not count.
  void monitor_opened() { received_udev_event_ = false; }
  void udev_message(loop::Time now);
  /// udevd's queue, or any record in its database, changed.
  void udevd_activity(loop::Time now) { last_activity_ = now; }
  /// Whether nothing of udevd was heard for so long.
  [[nodiscard]] bool quiet_for(loop::Milliseconds time, loop::Time now) const {
    return !last_activity_ || now >= *last_activity_ + time;
  }
  /// A record was written for a device whose message the monitor would pass on.
  void database_record(loop::Time now);
  /// Nothing came for a device although udevd has nothing to do. True: nothing came at all for so
  /// long that it is not to be waited for, until there is a sign of life.
  bool is_udevd_unreachable(loop::Time now);

  /// When check() may have something to say.
  [[nodiscard]] std::optional<loop::Time> next_check() const;
  void check(loop::Time now);

  /// Whether udev's messages reach this process.
  [[nodiscard]] bool received_udev_event() const { return received_udev_event_; }

 private:
  Log log_;
  bool received_udev_event_ = false;
  std::optional<loop::Time> last_activity_;  ///< Anything of udevd.
  std::optional<loop::Time> first_record_;   ///< Until its grace is over.
  bool logged_no_udevd_ = false;
  bool logged_no_messages_ = false;
  bool logged_unreachable_ = false;
};

}  // namespace patchbay::host
