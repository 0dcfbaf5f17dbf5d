#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/facts/device_tree.h"
#include "host/facts/lineage.h"
#include "model/facts.h"

/// Facts of a device that come from the devices above it: the driver, the USB device, the PCI
/// function, the position in the machine. Read from /sys only. Any thread; reads may block on a
/// driver.
namespace patchbay::host {

/// The devices above one device, found on demand. A disk with native NVMe multipath can have
/// several controllers. Then a fact is the value on which all controllers agree. Not thread-safe.
class DeviceAncestry {
 public:
  DeviceAncestry(DeviceTree tree, std::string syspath)
      : tree_(std::move(tree)), syspath_(std::move(syspath)) {}

  /// Reads one of the facts driver, usb, pci, identity, numa_node and iommu_group. Empty if absent.
  [[nodiscard]] std::string read(const FactName& name);
  /// Reads driver, numa_node or iommu_group, if that cannot block; otherwise null.
  [[nodiscard]] std::optional<std::string> try_read(const FactName& name);
  /// The devices above, nearest first. With several controllers, only the devices that are above
  /// all of them.
  [[nodiscard]] std::vector<std::string> above();

 private:
  /// The nearest USB device, and the interface below it.
  struct Usb {
    std::span<const DeviceDirectory> from_device{};  ///< The device and everything above it.
    std::string interface {};                        ///< Directory of the interface.
  };
  /// One path up to the hardware, and the facts found on it.
  struct Branch {
    Lineage lineage;
    std::optional<Usb> usb{};
  };

  [[nodiscard]] Usb find_usb(std::span<const DeviceDirectory> lineage) const;
  [[nodiscard]] std::string usb_value(const Usb& usb, std::string_view name) const;
  [[nodiscard]] std::vector<Branch>& branches();
  [[nodiscard]] std::string read_of(Branch& branch, const FactName& name) const;

  DeviceTree tree_;
  std::string syspath_;
  std::optional<Lineage> lineage_;  ///< Used by try_read().
  std::optional<std::vector<Branch>> branches_;
};

}  // namespace patchbay::host
