#pragma once

#include <functional>

#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// A thread of its own, in which nothing can hang: it takes SIGTERM and SIGINT, and sees to it that
/// the process ends soon after, whatever its other threads wait for. It also tells the log of
/// threads that stand still (see ThreadActivity), and sleeps as long as nothing happens.
class Watchdog {
 public:
  /// From the signal on, the process has so long. Looking for leaks at the end takes its time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr Milliseconds kShutdownTimeout{9000};
#else
  static constexpr Milliseconds kShutdownTimeout{1800};
#endif

  struct ExitCodes {
    int early = 0;    ///< A signal came before there was anything to end.
    int hanging = 0;  ///< The process did not end in time.
  };

  /// Starts it, once in a process; it lives until the process ends. Both signals are blocked, in
  /// this thread and in all that are started later.
  [[nodiscard]] static Result<Watchdog*> start(ExitCodes exit_codes);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// `end` is called once, at the first signal, on the watchdog's thread, and waits for nothing:
  /// from now on the process ends in its own way. To end the Subscription is to say that it is
  /// about to, and needs not be asked. Once; any thread but the watchdog's.
  [[nodiscard]] Subscription on_signal(std::function<void()> end);

 private:
  struct Impl;
  explicit Watchdog(Impl& impl) : impl_(impl) {}
  ~Watchdog() = default;

  Impl& impl_;
};

}  // namespace patchbay::loop
