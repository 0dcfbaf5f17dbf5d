#include "host/udev/udev_monitor.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <climits>
#include <utility>

namespace patchbay::host {
namespace {

std::string text(const char* value) { return value != nullptr ? value : ""; }

UdevEvent event_of(udev_device* device) {
  UdevEvent event;
  event.syspath = text(udev_device_get_syspath(device));
  event.name = text(udev_device_get_sysname(device));
  event.subsystem = text(udev_device_get_subsystem(device));
  event.devtype = text(udev_device_get_devtype(device));
  event.devnode = text(udev_device_get_devnode(device));
  if (const dev_t number = udev_device_get_devnum(device); number != 0) {
    event.number = DeviceNumber{.block = event.subsystem == "block",
                                .major = ::gnu_dev_major(number),
                                .minor = ::gnu_dev_minor(number)};
  }
  event.seqnum = udev_device_get_seqnum(device);
  const std::string action = text(udev_device_get_action(device));
  if (action == "remove") event.action = UdevEvent::Action::remove;
  if (action == "move") {
    event.action = UdevEvent::Action::move;
    const std::string old = text(udev_device_get_property_value(device, "DEVPATH_OLD"));
    if (!old.empty()) event.old_syspath = "/sys" + old;
  }
  return event;
}

}  // namespace

Result<std::unique_ptr<UdevMonitor>> UdevMonitor::open(loop::EventLoop& loop,
                                                       const Options& options,
                                                       Callbacks callbacks) {
  Context context(udev_new());
  if (!context) return fail_errno("cannot use libudev", errno);
  Monitor monitor(udev_monitor_new_from_netlink(context.get(), "udev"));
  if (!monitor) return fail_errno("cannot open the udev netlink group", errno);
  const int size = options.receive_buffer_bytes > INT_MAX
                       ? INT_MAX
                       : static_cast<int>(options.receive_buffer_bytes);
  // The kernel may grant less: see receive_buffer_bytes().
  udev_monitor_set_receive_buffer_size(monitor.get(), size);
  for (const std::string& subsystem : options.subsystems) {
    const int added =
        udev_monitor_filter_add_match_subsystem_devtype(monitor.get(), subsystem.c_str(), nullptr);
    if (added < 0) return fail_errno("cannot filter the udev netlink group", -added);
  }
  if (const int enabled = udev_monitor_enable_receiving(monitor.get()); enabled < 0) {
    return fail_errno("cannot receive from the udev netlink group", -enabled);
  }
  return std::unique_ptr<UdevMonitor>(
      new UdevMonitor(loop, std::move(context), std::move(monitor), std::move(callbacks)));
}

UdevMonitor::UdevMonitor(loop::EventLoop& loop, Context context, Monitor monitor,
                         Callbacks callbacks)
    : context_(std::move(context)), monitor_(std::move(monitor)), callbacks_(std::move(callbacks)) {
  reading_ = loop.watch_readable(udev_monitor_get_fd(monitor_.get()), [this](loop::FdEvent event) {
    receive(event == loop::FdEvent::error);
  });
}

size_t UdevMonitor::receive_buffer_bytes() const {
  int size = 0;
  socklen_t length = sizeof size;
  ::getsockopt(udev_monitor_get_fd(monitor_.get()), SOL_SOCKET, SO_RCVBUF, &size, &length);
  return static_cast<size_t>(size) / 2;  // The kernel doubles the requested size for its own use.
}

void UdevMonitor::receive(bool lost_events) {
  for (int i = 0; i < kEventsPerIteration; ++i) {
    errno = 0;
    udev_device* device = udev_monitor_receive_device(monitor_.get());
    if (device == nullptr) {
      if (errno == EAGAIN || errno == 0) break;
      if (errno == ENOBUFS) lost_events = true;
      continue;  // Skips malformed messages.
    }
    const UdevEvent event = event_of(device);
    udev_device_unref(device);
    callbacks_.on_event(event);
  }
  if (lost_events) callbacks_.on_overflow();
}

}  // namespace patchbay::host
