#pragma once

#include <span>
#include <string>

#include "host/facts/lineage.h"

/// Finds out from /sys where a USB device is plugged in. Any thread that may block.
namespace patchbay::host {

/// The nearest USB device of a lineage, and all devices above it. Empty if there is none.
[[nodiscard]] std::span<const DeviceDirectory> find_usb_device(
    const paths::HostRoot& files, std::span<const DeviceDirectory> lineage);

/// The major revision of USB, "2" or "3", of the USB device in that directory. Empty if unknown.
[[nodiscard]] std::string usb_revision(const paths::HostRoot& files, const std::string& device);

/// Returns the name of the physical connector of a USB device. It consists of the controller, the
/// USB revision of the root hub, and the port numbers: "0000:00:14.0-usbv2-1.4". It contains no bus
/// number, because bus numbers change from boot to boot. `from_device` is the device and the
/// devices above it. Empty if the device has no port.
///
/// A connector for USB 3 has two ports, one on each of two buses. The kernel links them as peers.
/// The name is that of the port on the USB 2 bus. A USB 3 hub is also two devices, and its ports
/// have the same numbers on both buses. So the name of the nearest port with a peer is used, and
/// the port numbers below it are appended.
[[nodiscard]] std::string usb_socket(const DeviceTree& tree,
                                     std::span<const DeviceDirectory> from_device);

}  // namespace patchbay::host
