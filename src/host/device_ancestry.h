#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/facts.h"
#include "host/lineage.h"

/// What the devices above a device tell of it: the driver, the USB device, the PCI function, where
/// it sits in the machine. Read from /sys alone. Any thread; reading may block on a driver.
namespace patchbay::host {

/// What a device is below, found out when it is asked for. Where it has several controllers, a fact
/// is what all of them agree on. One thread.
class DeviceAncestry {
 public:
  /// Of the device at `syspath`; `top` as for lineage().
  DeviceAncestry(std::string syspath, std::string top)
      : syspath_(std::move(syspath)), top_(std::move(top)) {}

  /// A fact that it has of those: driver, usb, pci, identity, numa_node, iommu_group. Empty:
  /// it is absent.
  [[nodiscard]] std::string read(const FactName& name);
  /// The same, if no driver can be asked; none: one may, or it is another fact.
  [[nodiscard]] std::optional<std::string> try_read(const FactName& name);
  /// The devices above it, nearest first. Where it has several controllers: those above all of
  /// them.
  [[nodiscard]] std::vector<std::string> above();

 private:
  /// The nearest USB device, and the interface that was passed on the way up.
  struct Usb {
    std::span<const DeviceDirectory> from_device{};  ///< With all that is above it.
    std::string interface {};                        ///< Its directory.
  };
  /// One way up to the hardware, and what was found on it.
  struct Branch {
    Lineage lineage;
    std::optional<Usb> usb{};
  };

  [[nodiscard]] static Usb find_usb(std::span<const DeviceDirectory> lineage);
  [[nodiscard]] static std::string usb_value(const Usb& usb, std::string_view name,
                                             const std::string& top);
  [[nodiscard]] std::vector<Branch>& branches();
  [[nodiscard]] std::string read_of(Branch& branch, const FactName& name) const;

  std::string syspath_;
  std::string top_;
  std::optional<Lineage> lineage_;  ///< For read_at_once().
  std::optional<std::vector<Branch>> branches_;
};

}  // namespace patchbay::host
