#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "host/udev/udev_event.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// Receives the kernel's own uevents. Most events concern no rule, which their subsystem already
/// shows. So this class does not use libudev, which makes about sixty allocations and five system
/// calls for each event. Loop thread.
class KernelMonitor {
 public:
  struct Callbacks {
    std::function<void(const UdevEvent&)> on_event;
    /// Events were lost.
    std::function<void()> on_overflow;
  };

  [[nodiscard]] static Result<std::unique_ptr<KernelMonitor>> open(loop::EventLoop& loop,
                                                                   size_t receive_buffer_bytes,
                                                                   Callbacks callbacks);

  /// The size that the kernel granted.
  [[nodiscard]] size_t receive_buffer_bytes() const;

 private:
  KernelMonitor(loop::EventLoop& loop, UniqueFd socket, Callbacks callbacks);
  void receive(bool lost_events);

  UniqueFd socket_;
  Callbacks callbacks_;
  loop::Subscription reading_;
};

}  // namespace patchbay::host
