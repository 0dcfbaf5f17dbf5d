#pragma once

#include <libudev.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/udev/udev_event.h"
#include "loop/event_loop.h"
#include "model/facts.h"

namespace patchbay::host {

/// Receives udev's events, which are sent after udev's rules have run. Loop thread.
class UdevMonitor {
 public:
  struct Options {
    size_t receive_buffer_bytes = 0;
    /// Events of other subsystems are filtered out. If empty, all events are received.
    std::vector<std::string> subsystems;
  };
  struct Callbacks {
    std::function<void(const UdevEvent&)> on_event;
    /// Events were lost.
    std::function<void()> on_overflow;
  };

  [[nodiscard]] static Result<std::unique_ptr<UdevMonitor>> open(loop::EventLoop& loop,
                                                                 const Options& options,
                                                                 Callbacks callbacks);

  /// The size that the kernel granted.
  [[nodiscard]] size_t receive_buffer_bytes() const;

 private:
  struct UdevDeleter {
    void operator()(udev* context) const { udev_unref(context); }
    void operator()(udev_monitor* monitor) const { udev_monitor_unref(monitor); }
  };
  using Context = std::unique_ptr<udev, UdevDeleter>;
  using Monitor = std::unique_ptr<udev_monitor, UdevDeleter>;

  UdevMonitor(loop::EventLoop& loop, Context context, Monitor monitor, Callbacks callbacks);
  void receive(bool lost_events);

  Context context_;
  Monitor monitor_;
  Callbacks callbacks_;
  loop::Subscription reading_;
};

}  // namespace patchbay::host
