#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

/// The device at `syspath` and the devices above it, up to `top` (/sys/devices).
[[nodiscard]] Lineage lineage(const std::string& syspath, const std::string& top);

/// The directory below `top` that a link leads to, if it still exists.
[[nodiscard]] std::optional<std::string> linked_device(const std::string& link,
                                                       const std::string& top);

/// Limit of controllers. With more, there are no common facts.
inline constexpr size_t kMostControllers = 64;

/// Directory of disks with native NVMe multipath, below the top of the device tree.
inline constexpr const char* kNvmeSubsystems = "/virtual/nvme-subsystem";

/// The lineage of a device, continued to its hardware. A disk with native NVMe multipath is below
/// its NVMe subsystem, and the controllers of that subsystem are links beside the disk. Such a
/// device has one lineage for each controller. Every other device has one lineage.
[[nodiscard]] std::vector<Lineage> hardware_lineages(const std::string& syspath,
                                                     const std::string& top);

/// Whether hardware_lineages() continues beyond this lineage().
[[nodiscard]] bool has_controllers_elsewhere(const Lineage& lineage);

/// The devices that the nearest virtual device of a lineage is built upon: the `slaves` of a disk
/// and the `lower_…` of a network interface. One that cannot be found has an empty path.
[[nodiscard]] std::vector<std::string> underlying_devices(const Lineage& lineage,
                                                          const std::string& top);

}  // namespace patchbay::host
