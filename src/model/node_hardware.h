#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/facts.h"

namespace patchbay {

/// A device on a bus of the node, or a class device of the kernel. Strings come from devices and
/// are untrusted.
struct HardwareDevice {
  std::string syspath;        ///< Canonical: /sys/devices/…
  std::string kind;           ///< "pci", "usb", or the class: "net".
  std::string name;           ///< sysname: "0000:01:00.0", "1-2", "eth0".
  std::string label{};        ///< Description from the device, for people; may be empty.
  std::string driver{};       ///< Empty: none.
  std::string devnode{};      ///< "/dev/ttyUSB0"; empty: none.
  std::optional<int> node{};  ///< NUMA node of a PCI function, if it has one.
  std::optional<DeviceNumber> number{};
};

/// All devices on the buses of the node, whether or not a rule matches them. Immutable once shared.
struct NodeHardware {
  std::vector<HardwareDevice> devices;  ///< In natural order of syspath.
  bool truncated = false;               ///< There are more.
};

using NodeHardwarePtr = std::shared_ptr<const NodeHardware>;

}  // namespace patchbay
