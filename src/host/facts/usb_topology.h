#pragma once

#include <span>
#include <string>

#include "host/facts/lineage.h"

/// Where a USB device is plugged in. Read from /sys; any thread that may block.
namespace patchbay::host {

/// The nearest USB device of a lineage, and everything above it. Empty: there is none.
[[nodiscard]] std::span<const DeviceDirectory> find_usb_device(
    const paths::HostRoot& files, std::span<const DeviceDirectory> lineage);

/// The major revision of USB, "2" or "3", of the USB device in that directory. Empty: unknown.
[[nodiscard]] std::string usb_revision(const paths::HostRoot& files, const std::string& device);

/// The physical connector of a USB device, as the name of its port: controller, USB revision of the
/// root hub, port numbers. Bus numbers change from boot to boot, so they are omitted. A connector
/// for USB 3 has two ports, one on each of two buses, and the kernel links them as peers. The name
/// is that of the port on the USB 2 bus. A USB 3 hub is also two devices, and its ports have the
/// same numbers on both buses. So the nearest hub with a peer decides, and the port numbers below
/// it are appended. `from_device` is the device and the devices above it. Empty: it has no port.
[[nodiscard]] std::string usb_socket(const DeviceTree& tree,
                                     std::span<const DeviceDirectory> from_device);

}  // namespace patchbay::host
