#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

/// What a device is below, found out when it is asked for. One thread.
class Surroundings {
 public:
  /// Of the device at `syspath`; `top` as for lineage().
  Surroundings(std::string syspath, std::string top)
      : syspath_(std::move(syspath)), top_(std::move(top)) {}

  /// A fact that it has of those: usb, pci, numa_node, iommu_group. Empty: it is absent.
  [[nodiscard]] std::string read(const FactName& name);
  /// The same, if no driver can be asked; none: one may, or it is another fact.
  [[nodiscard]] std::optional<std::string> read_at_once(const FactName& name);

 private:
  /// The nearest USB device, and the interface that was passed on the way up.
  struct Usb {
    std::span<const DeviceDirectory> from_device{};  ///< With all that is above it.
    std::string interface {};                        ///< Its directory.
  };

  [[nodiscard]] Usb find_usb() const;
  [[nodiscard]] static std::string usb_value(const Usb& usb, std::string_view name);

  std::string syspath_;
  std::string top_;
  std::optional<std::vector<DeviceDirectory>> lineage_;
  std::optional<Usb> usb_;
};

}  // namespace patchbay::host
