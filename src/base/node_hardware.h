#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/facts.h"

namespace patchbay {

/// Something on a bus of the node, or what the kernel has made of it. Strings are as devices say
/// them, untrusted.
struct HardwareDevice {
  std::string syspath;        ///< Canonical: /sys/devices/…
  std::string kind;           ///< "pci", "usb"; of what the kernel made of one, its class: "net".
  std::string name;           ///< sysname: "0000:01:00.0", "1-2", "eth0".
  std::string label{};        ///< What it says it is, for people; may be empty.
  std::string driver{};       ///< Empty: none.
  std::string devnode{};      ///< "/dev/ttyUSB0"; empty: none.
  std::optional<int> node{};  ///< NUMA node of a PCI function, if it has one.
  std::optional<DeviceNumber> number{};
};

/// What there is on the buses of the node, whether a rule looks at it or not. Immutable once
/// shared.
struct NodeHardware {
  std::vector<HardwareDevice> devices;  ///< In natural order of syspath.
  bool truncated = false;               ///< There are more.
};

using NodeHardwarePtr = std::shared_ptr<const NodeHardware>;

}  // namespace patchbay
