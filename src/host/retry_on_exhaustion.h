#pragma once

#include <functional>
#include <map>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::host {

/// Retries reads that failed because descriptors or memory were exhausted. Logs the start once,
/// with the limit to raise, and the end once. Loop thread.
class RetryOnExhaustion {
 public:
  /// Delay before a retry: the first one, doubled each time, up to the last.
  static constexpr loop::Milliseconds kFirstDelay{100};
  static constexpr loop::Milliseconds kMaxDelay{5000};
  /// A read that fails longer is not waited for.
  static constexpr loop::Milliseconds kGiveUpAfter{2000};

  explicit RetryOnExhaustion(loop::EventLoop& loop) : loop_(loop) {}

  /// The read `name` failed with that errno. `again` starts a new read; it may be called while one
  /// runs. True: still wait for it.
  bool refused(const std::string& name, int error, std::function<void()> again);
  /// The read succeeded or is not needed any more.
  void succeeded(const std::string& name) { refused_.erase(name); }

 private:
  struct Refused {
    loop::Time since{};
    std::function<void()> again{};
  };

  void arm();
  void retry();

  loop::EventLoop& loop_;
  std::map<std::string, Refused> refused_;  ///< By name.
  loop::Milliseconds wait_ = kFirstDelay;
  loop::Subscription timer_;  ///< Set while resources are exhausted, as far as is known.
};

}  // namespace patchbay::host
