#pragma once

#include <functional>

#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::loop {

/// A thread that cannot hang. On SIGTERM and SIGINT it ensures that the process ends soon, even if
/// other threads hang. It also logs stalled threads, every ThreadActivity::kStallTime.
class Watchdog {
 public:
  /// Longest time from the signal to the end of the process. With a sanitizer, leak detection at
  /// the end needs longer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr Milliseconds kShutdownTimeout{9000};
#else
  static constexpr Milliseconds kShutdownTimeout{1800};
#endif

  struct ExitCodes {
    int early = 0;    ///< A signal came before on_signal().
    int hanging = 0;  ///< The process did not end in time.
  };

  /// Starts the watchdog, once per process; it lives until the process ends. Blocks both signals in
  /// this thread and in all threads that it starts later.
  [[nodiscard]] static Result<Watchdog*> start(ExitCodes exit_codes);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// `end` is called once, at the first signal, on the watchdog's thread, and must not block. After
  /// that, the process must end, or the watchdog ends it. Destroy the Subscription before the
  /// process ends without a signal. Call once; any thread except the watchdog's.
  [[nodiscard]] Subscription on_signal(std::function<void()> end);

 private:
  struct Impl;
  explicit Watchdog(Impl& impl) : impl_(impl) {}
  ~Watchdog() = default;

  Impl& impl_;
};

}  // namespace patchbay::loop
