#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "loop/event_loop.h"
#include "status/node_status.h"

namespace patchbay::daemon {

/// Notifies the service manager that started this process: systemd, or another one that uses the
/// sd_notify protocol, with one datagram for each state. Without $NOTIFY_SOCKET in the environment
/// it does nothing. Any thread.
class ServiceManager {
 public:
  /// Does not block: a full socket is an Error.
  using Send = std::function<Result<void>(std::string_view state)>;

  /// Reads the environment. Call it before other threads start.
  [[nodiscard]] static ServiceManager from_environment();

  /// Reports that the daemon knows its devices and waits for the kubelet. Units ordered after it
  /// may start.
  void ready() const;
  /// Reports that the daemon is stopping.
  void stopping() const;
  /// While the Subscription lives, pings the manager's watchdog at half of $WATCHDOG_USEC, if all
  /// threads make progress. Does nothing if the manager has no watchdog. `source` outlives it.
  [[nodiscard]] loop::Subscription ping_watchdog(loop::EventLoop& loop,
                                                 status::StatusSource& source) const;

 private:
  Send send_;                               ///< Empty: no service manager.
  loop::Milliseconds watchdog_interval_{};  ///< Zero: no watchdog.
};

}  // namespace patchbay::daemon
