#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "loop/event_loop.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Reports the daemon's state to the service manager that started this process, by the sd_notify
/// protocol of systemd. Does nothing if $NOTIFY_SOCKET is not set. Any thread, except for
/// ping_watchdog().
class ServiceManager {
 public:
  /// Sends a state such as "READY=1" in one datagram. Does not block: a full socket is an Error.
  using Send = std::function<Result<void>(std::string_view state)>;

  /// Reads the environment. Call from_environment() before other threads start.
  [[nodiscard]] static ServiceManager from_environment();

  /// Reports that the daemon knows its devices and waits for the kubelet. systemd then starts the
  /// services that are ordered after this one.
  void ready() const;
  /// Reports that the daemon is stopping.
  void stopping() const;
  /// Pings the manager's watchdog at half of $WATCHDOG_USEC while the Subscription lives. A ping is
  /// sent only if StatusSource::check_liveness() succeeds. Does nothing if the manager has no
  /// watchdog. `source` outlives the Subscription. Loop thread.
  [[nodiscard]] loop::Subscription ping_watchdog(loop::EventLoop& loop,
                                                 status::StatusSource& source) const;

 private:
  Send send_;                               ///< Empty: no service manager.
  loop::Milliseconds watchdog_interval_{};  ///< Zero: no watchdog.
};

}  // namespace patchbay::daemon
