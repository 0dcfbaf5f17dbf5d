#pragma once

#include <string>
#include <vector>

#include "base/facts.h"

/// What the devices above a device tell of it: the USB device, the PCI function, where it sits in
/// the machine. Read from /sys alone. Any thread; reading may block on a driver.
namespace patchbay::host {

/// A device's directory, and its subsystem.
struct DeviceDirectory {
  std::string path;
  std::string subsystem;
};

/// The device at `syspath` and the devices above it, up to `top` (/sys/devices), nearest first.
[[nodiscard]] std::vector<DeviceDirectory> lineage(const std::string& syspath,
                                                   const std::string& top);

/// Of those names that are keys in `usb:`, the values of the nearest USB device; and "devnode", its
/// node under /dev/bus/usb.
[[nodiscard]] NamedValues read_usb(const std::vector<DeviceDirectory>& lineage,
                                   const std::vector<std::string>& names);

/// Of those names that are keys in `pci:`, the values of the nearest PCI function.
[[nodiscard]] NamedValues read_pci(const std::vector<DeviceDirectory>& lineage,
                                   const std::vector<std::string>& names);

/// The NUMA node of the nearest that has one; empty where none has: the kernel's -1 is none.
[[nodiscard]] std::string read_numa_node(const std::vector<DeviceDirectory>& lineage);

/// The IOMMU group of the nearest that is in one, or empty.
[[nodiscard]] std::string read_iommu_group(const std::vector<DeviceDirectory>& lineage);

}  // namespace patchbay::host
