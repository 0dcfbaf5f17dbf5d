#pragma once

#include <libudev.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// One uevent, from the kernel or from udev.
struct UdevEvent {
  enum class Action { remove, move, other };
  Action action = Action::other;
  std::string syspath;
  std::string old_syspath;  ///< With Action::move.
  std::string name;
  std::string subsystem;
  std::string devtype;
  std::string devnode;
  std::optional<DeviceNumber> number;
  uint64_t seqnum = 0;

  /// What it tells of the device: all that costs nothing, but for DeviceFacts::found_by.
  [[nodiscard]] DeviceFacts facts() const;
};

/// Which of the two netlink groups: the kernel's own events, or udev's, after its rules have run.
enum class UdevGroup { kernel, udev };

/// Receives one group's events. Loop thread.
class UdevMonitor {
 public:
  struct Options {
    size_t receive_buffer_bytes = 0;
    /// Only these subsystems; empty: all.
    std::vector<std::string> subsystems;
  };
  struct Callbacks {
    std::function<void(const UdevEvent&)> on_event;
    /// Events were lost.
    std::function<void()> on_overflow;
  };

  [[nodiscard]] static Result<std::unique_ptr<UdevMonitor>> open(loop::EventLoop& loop,
                                                                 UdevGroup group,
                                                                 const Options& options,
                                                                 Callbacks callbacks);

  /// What the kernel granted.
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
