#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "loop/event_loop.h"
#include "observe/node_status.h"

namespace patchbay::daemon {

/// Who started this process as a service and wants to hear of it: systemd, or whoever speaks
/// sd_notify's protocol, a datagram for each piece of news. Where the environment names none
/// ($NOTIFY_SOCKET), nothing is told. Any thread.
class ServiceManager {
 public:
  /// It waits for nobody: what the socket does not take at once is an Error.
  using Send = std::function<Result<void>(std::string_view state)>;

  /// As the environment says. Before other threads are started.
  [[nodiscard]] static ServiceManager from_environment();

  /// The daemon knows its devices, and waits for the kubelet. What is ordered after it may start.
  void ready() const;
  /// It is ending.
  void stopping() const;
  /// While it lives, the manager hears as often as it asked for ($WATCHDOG_USEC) that all threads
  /// go on; else nothing is done. `source` outlives it.
  [[nodiscard]] loop::Subscription ping_watchdog(loop::EventLoop& loop,
                                                 observe::StatusSource& source) const;

 private:
  Send send_;                               ///< Empty: nobody is there.
  loop::Milliseconds watchdog_interval_{};  ///< Zero: it did not ask for signs of life.
};

}  // namespace patchbay::daemon
