#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/log.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// Finds out which event sources reach this process, and says once what a person should know. Pure:
/// time is passed in, what there is to say goes to `say`.
class SourceReport {
 public:
  /// So long after a record in the database its twin message would have come, and so long after an
  /// event something of udevd would have been heard.
  static constexpr loop::Milliseconds kGrace{1000};

  using Say = std::function<void(log::Level level, const std::string& message)>;
  explicit SourceReport(Say say) : say_(std::move(say)) {}

  void started(bool udevd_runs);
  /// The monitor was opened anew: what it heard before does not count.
  void monitor_opened() { udev_heard_ = false; }
  void udev_message(loop::Time now);
  /// udevd's queue, or any record in its database, changed.
  void sign_of_life(loop::Time now) { last_heard_ = now; }
  /// Whether nothing of udevd was heard for so long.
  [[nodiscard]] bool quiet_for(loop::Milliseconds time, loop::Time now) const {
    return !last_heard_ || now >= *last_heard_ + time;
  }
  /// A record was written for a device whose message the monitor would pass on.
  void database_record(loop::Time now);
  /// Nothing came for a device although udevd has nothing to do. True: nothing came at all for so
  /// long that it is not to be waited for, until there is a sign of life.
  bool silence(loop::Time now);

  /// When check() may have something to say.
  [[nodiscard]] std::optional<loop::Time> next_check() const;
  void check(loop::Time now);

  /// Whether udev's messages reach this process.
  [[nodiscard]] bool udev_heard() const { return udev_heard_; }

 private:
  Say say_;
  bool udev_heard_ = false;
  std::optional<loop::Time> last_heard_;    ///< Anything of udevd.
  std::optional<loop::Time> first_record_;  ///< Until its grace is over.
  bool said_no_udevd_ = false;
  bool said_no_messages_ = false;
  bool said_silence_ = false;
};

}  // namespace patchbay::host
