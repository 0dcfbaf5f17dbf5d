#pragma once

#include <functional>
#include <utility>

#include "loop/event_loop.h"

namespace patchbay::host {

/// Tells when udevd is done with what came to it. The end of its queue alone does not say so: it
/// may be that of earlier work, while an event waits in udevd's socket that is read here already.
/// udevd queues such an event at once, so an end counts when nothing was queued for a while after
/// it; by then udev's own message of the device has been read, too. Loop thread.
class UdevSettleDetector {
 public:
  static constexpr loop::Milliseconds kQuiet{20};

  struct Callbacks {
    /// Whether there is a queue at this moment, be its beginning told by now or not.
    std::function<bool()> queue_exists;
    /// What came before `end` is done.
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
