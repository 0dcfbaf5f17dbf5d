#pragma once

#include <functional>
#include <map>
#include <string>

#include "loop/event_loop.h"

namespace patchbay::host {

/// Retries reads that failed because descriptors or memory were exhausted. Logs the begin of the
/// exhaustion, with the limit to raise, and its end. Loop thread.
class RetryOnExhaustion {
 public:
  /// Delay before the first retry. It doubles with each retry, up to kMaxDelay.
  static constexpr loop::Milliseconds kFirstDelay{100};
  static constexpr loop::Milliseconds kMaxDelay{5000};
  /// After this time, nothing waits for a read that still fails.
  static constexpr loop::Milliseconds kGiveUpAfter{2000};

  explicit RetryOnExhaustion(loop::EventLoop& loop) : loop_(loop) {}

  /// Call it when the read `name` failed with that errno. `again` starts a new read, and may be
  /// called while a read runs. Returns false if nothing should wait for the read any longer: see
  /// kGiveUpAfter.
  bool refused(const std::string& name, int error, std::function<void()> again);
  /// Call it when the read succeeded or is not needed any more.
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
  loop::Subscription timer_;  ///< Set from the first failure until a retry finds no failed read.
};

}  // namespace patchbay::host
