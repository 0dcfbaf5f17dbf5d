#pragma once

#include <functional>
#include <utility>

#include "loop/event_loop.h"

namespace patchbay::host {

/// Reports when udevd has processed everything that it received. The end of its queue alone does
/// not prove that: an event that was read here already may still wait in udevd's socket. udevd
/// queues such an event at once. So an end counts only if no queue exists for kQuiet after it; by
/// then udev's own message has been read, too. Loop thread.
class UdevSettleDetector {
 public:
  static constexpr loop::Milliseconds kQuiet{20};

  struct Callbacks {
    /// Whether a queue exists at this moment, even if its beginning was not reported yet.
    std::function<bool()> queue_exists;
    /// Everything before `end` is processed.
    std::function<void(loop::Time end)> on_settled;
  };

  UdevSettleDetector(loop::EventLoop& loop, Callbacks callbacks)
      : loop_(loop), callbacks_(std::move(callbacks)) {}

  void queue_ended();

 private:
  loop::EventLoop& loop_;
  Callbacks callbacks_;
  loop::Subscription quiet_;
};

}  // namespace patchbay::host
