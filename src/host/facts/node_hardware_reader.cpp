#include "host/facts/node_hardware_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/facts/sysfs_files.h"

namespace patchbay::host {
namespace {

/// By the first two digits of a PCI function's class (PCI Code and ID Assignment Specification,
/// base classes).
constexpr std::array<std::string_view, 0x14> kPciClasses{
    "",       "storage",   "network",    "display", "multimedia",  "memory",    "bridge",
    "serial", "system",    "input",      "docking", "processor",   "bus",       "wireless",
    "I/O",    "satellite", "encryption", "signal",  "accelerator", "instrument"};

using Files = paths::HostRoot;

/// "0x8086" as "8086".
std::string hex(std::string number) {
  return number.starts_with("0x") ? number.substr(2) : std::move(number);
}

std::string pci_label(const Files& files, const std::string& syspath) {
  const std::string code = hex(attribute_text(files, syspath, "class"));
  size_t base = 0;
  std::from_chars(code.data(), code.data() + std::min<size_t>(code.size(), 2), base, 16);
  std::string label(base < kPciClasses.size() ? kPciClasses.at(base) : "");
  if (!label.empty()) label += ' ';
  return label + hex(attribute_text(files, syspath, "vendor")) + ":" +
         hex(attribute_text(files, syspath, "device"));
}

std::string usb_label(const Files& files, const std::string& syspath) {
  std::string label = attribute_text(files, syspath, "manufacturer");
  const std::string product = attribute_text(files, syspath, "product");
  if (!label.empty() && !product.empty()) label += ' ';
  label += product;
  if (!label.empty()) label += ' ';
  return label + attribute_text(files, syspath, "idVendor") + ":" +
         attribute_text(files, syspath, "idProduct");
}

std::optional<int> node_of(const Files& files, const std::string& syspath) {
  const std::string text = attribute_text(files, syspath, "numa_node");
  int node = -1;
  std::from_chars(text.data(), text.data() + text.size(), node);
  return node < 0 ? std::nullopt : std::optional(node);
}

/// The target of a link of a bus or class, parsed without resolving it:
/// "../../../devices/pci0000:00/…".
std::string linked(const Files& files, const std::string& link) {
  const std::string target = files.link_target(link).value_or("");
  const size_t devices = target.find("/devices/");
  return devices == std::string::npos ? "" : "/sys" + target.substr(devices);
}

HardwareDevice read_bus_device(const Files& files, std::string syspath, const std::string& kind,
                               std::string name) {
  HardwareDevice device{.syspath = std::move(syspath), .kind = kind, .name = std::move(name)};
  const bool pci = kind == "pci";
  device.label = pci ? pci_label(files, device.syspath) : usb_label(files, device.syspath);
  device.driver = link_name(files, device.syspath + "/driver").value_or("");
  if (pci) device.node = node_of(files, device.syspath);
  return device;
}

/// A device of a class, if containers can use it by a device node or as an interface.
std::optional<HardwareDevice> read_class_device(const Files& files, std::string syspath,
                                                const std::string& kind, std::string name) {
  const auto uevent = read_uevent_file(files, syspath);
  if (!uevent || (uevent->devnode.empty() && kind != "net" && kind != "infiniband")) {
    return std::nullopt;
  }
  HardwareDevice device{.syspath = std::move(syspath), .kind = kind, .name = std::move(name)};
  device.devnode = uevent->devnode;
  device.number = uevent->number;
  if (device.number) device.number->block = kind == "block";
  return device;
}

}  // namespace

NodeHardware read_node_hardware(const paths::HostRoot& root) {
  const Files files = root.kernel_files();
  NodeHardware machine;
  const auto add = [&](HardwareDevice device) {
    machine.truncated = machine.devices.size() == kMaxHardwareDevices;
    if (!machine.truncated) machine.devices.push_back(std::move(device));
    return !machine.truncated;
  };
  for (const std::string kind : {"pci", "usb"}) {
    const std::string directory = "/sys/bus/" + kind + "/devices";
    for (std::string& name : files.names_in(directory)) {
      // USB also lists interfaces, which are parts of a device. Their names have a colon.
      if (kind == "usb" && name.contains(':')) continue;
      std::string syspath = linked(files, directory + "/" + name);
      if (syspath.empty()) continue;
      if (!add(read_bus_device(files, std::move(syspath), kind, std::move(name)))) break;
    }
  }
  for (const std::string& kind : files.names_in("/sys/class")) {
    const std::string directory = "/sys/class/" + kind;
    for (std::string& name : files.names_in(directory)) {
      std::string syspath = linked(files, directory + "/" + name);
      if (syspath.empty()) continue;
      auto device = read_class_device(files, std::move(syspath), kind, std::move(name));
      if (device && !add(*std::move(device))) break;
    }
  }
  std::ranges::sort(machine.devices, NaturalLess(), &HardwareDevice::syspath);
  return machine;
}

}  // namespace patchbay::host
