#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/facts/device_tree.h"

/// Which devices a device belongs to, from the directories and links of /sys. Any thread that may
/// block; all of this is in the kernel's memory.
namespace patchbay::host {

/// A device's directory, and its subsystem.
struct DeviceDirectory {
  std::string path;
  std::string subsystem;
};

/// A device and the devices above it, nearest first.
using Lineage = std::vector<DeviceDirectory>;

/// The device at `syspath` and the devices above it.
[[nodiscard]] Lineage lineage(const DeviceTree& tree, const std::string& syspath);

/// The directory in the tree that a link leads to, if it still exists.
[[nodiscard]] std::optional<std::string> linked_device(const DeviceTree& tree,
                                                       const std::string& link);

/// Limit of controllers. With more, there are no common facts.
inline constexpr size_t kMostControllers = 64;

/// Directory of disks with native NVMe multipath, below the top of the device tree.
inline constexpr const char* kNvmeSubsystems = "/virtual/nvme-subsystem";

/// The lineage of a device, continued to its hardware. A disk with native NVMe multipath is below
/// its NVMe subsystem, and the controllers of that subsystem are links beside the disk. Such a
/// device has one lineage for each controller. Every other device has one lineage.
[[nodiscard]] std::vector<Lineage> hardware_lineages(const DeviceTree& tree,
                                                     const std::string& syspath);

/// Whether hardware_lineages() continues beyond this lineage().
[[nodiscard]] bool has_controllers_elsewhere(const Lineage& lineage);

/// The devices that the nearest virtual device of a lineage is built upon: the `slaves` of a disk
/// and the `lower_…` of a network interface. One that cannot be found has an empty path.
[[nodiscard]] std::vector<std::string> underlying_devices(const DeviceTree& tree,
                                                          const Lineage& lineage);

}  // namespace patchbay::host
