#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"

/// Finds the devices above a device, from the directories and links of /sys. Any thread that may
/// block. The reads are short, because all of this is in the kernel's memory.
namespace patchbay::host {

/// The directory of a device, and the device's subsystem.
struct DeviceDirectory {
  std::string path;
  std::string subsystem;
};

/// A device and the devices above it, nearest first.
using Lineage = std::vector<DeviceDirectory>;

/// The device at `syspath` and the devices above it.
[[nodiscard]] Lineage lineage(const DeviceTree& tree, const std::string& syspath);

/// The device directory that a symbolic link leads to. Null if `link` is no link, or leads to no
/// device.
[[nodiscard]] std::optional<std::string> linked_device(const DeviceTree& tree,
                                                       const std::string& link);

/// Limit of controllers. With more, hardware_lineages() ignores all of them.
inline constexpr size_t kMostControllers = 64;

/// Directory of disks with native NVMe multipath, below DeviceTree::top.
inline constexpr const char* kNvmeSubsystems = "/virtual/nvme-subsystem";

/// Returns the lineages of a device up to its hardware. A disk with native NVMe multipath is below
/// a virtual NVMe subsystem, which has links to its controllers. Such a disk has one lineage for
/// each controller. Each of them continues with the lineage of the controller. Every other device
/// has one lineage.
[[nodiscard]] std::vector<Lineage> hardware_lineages(const DeviceTree& tree,
                                                     const std::string& syspath);

/// Whether hardware_lineages() may continue beyond this lineage().
[[nodiscard]] bool has_controllers_elsewhere(const Lineage& lineage);

/// Returns the devices on which the nearest virtual device of a lineage is built. For a disk these
/// are its `slaves`, for a network interface its `lower_…` links. The path of a device that is not
/// found is empty.
[[nodiscard]] std::vector<std::string> underlying_devices(const DeviceTree& tree,
                                                          const Lineage& lineage);

}  // namespace patchbay::host
