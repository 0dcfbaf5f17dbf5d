#include "host/machine.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/sysfs_files.h"

namespace patchbay::host {
namespace {

/// Of the two digits with which a PCI function's class begins (PCI Code and ID Assignment
/// Specification, base classes).
constexpr std::array<std::string_view, 0x14> kPciClasses{
    "",       "storage",   "network",    "display", "multimedia",  "memory",    "bridge",
    "serial", "system",    "input",      "docking", "processor",   "bus",       "wireless",
    "I/O",    "satellite", "encryption", "signal",  "accelerator", "instrument"};

/// "0x8086" as "8086".
std::string hex(std::string number) {
  return number.starts_with("0x") ? number.substr(2) : std::move(number);
}

std::string pci_label(const std::string& syspath) {
  const std::string code = hex(attribute_text(syspath, "class"));
  size_t base = 0;
  std::from_chars(code.data(), code.data() + std::min<size_t>(code.size(), 2), base, 16);
  std::string label(base < kPciClasses.size() ? kPciClasses.at(base) : "");
  if (!label.empty()) label += ' ';
  return label + hex(attribute_text(syspath, "vendor")) + ":" +
         hex(attribute_text(syspath, "device"));
}

std::string usb_label(const std::string& syspath) {
  std::string label = attribute_text(syspath, "manufacturer");
  const std::string product = attribute_text(syspath, "product");
  if (!label.empty() && !product.empty()) label += ' ';
  label += product;
  if (!label.empty()) label += ' ';
  return label + attribute_text(syspath, "idVendor") + ":" + attribute_text(syspath, "idProduct");
}

std::optional<int> node_of(const std::string& syspath) {
  const std::string text = attribute_text(syspath, "numa_node");
  int node = -1;
  std::from_chars(text.data(), text.data() + text.size(), node);
  return node < 0 ? std::nullopt : std::optional(node);
}

/// Where the link of a bus or class leads, without asking further: "../../../devices/pci0000:00/…".
std::string linked(const std::string& link) {
  const std::string target = link_target(link).value_or("");
  const size_t devices = target.find("/devices/");
  return devices == std::string::npos ? "" : "/sys" + target.substr(devices);
}

MachineThing bus_thing(std::string syspath, const std::string& kind, std::string name) {
  MachineThing thing{.syspath = std::move(syspath), .kind = kind, .name = std::move(name)};
  const bool pci = kind == "pci";
  thing.label = pci ? pci_label(thing.syspath) : usb_label(thing.syspath);
  thing.driver = link_name(thing.syspath + "/driver").value_or("");
  if (pci) thing.node = node_of(thing.syspath);
  return thing;
}

/// Of a class: a thing that containers can use, by a device node or as an interface.
std::optional<MachineThing> class_thing(std::string syspath, const std::string& kind,
                                        std::string name) {
  const auto uevent = read_uevent_file(syspath);
  if (!uevent || (uevent->devnode.empty() && kind != "net" && kind != "infiniband")) {
    return std::nullopt;
  }
  MachineThing thing{.syspath = std::move(syspath), .kind = kind, .name = std::move(name)};
  thing.devnode = uevent->devnode;
  thing.number = uevent->number;
  if (thing.number) thing.number->block = kind == "block";
  return thing;
}

}  // namespace

Machine read_machine(const HostRoot& root) {
  Machine machine;
  const auto add = [&](MachineThing thing) {
    machine.cut = machine.things.size() == kMostMachineThings;
    if (!machine.cut) machine.things.push_back(std::move(thing));
    return !machine.cut;
  };
  for (const std::string kind : {"pci", "usb"}) {
    const std::string directory = "/sys/bus/" + kind + "/devices";
    for (std::string& name : root.names_in(directory)) {
      // Of USB there are interfaces, too: parts of a device, with a colon.
      if (kind == "usb" && name.contains(':')) continue;
      std::string syspath = linked(directory + "/" + name);
      if (syspath.empty()) continue;
      if (!add(bus_thing(std::move(syspath), kind, std::move(name)))) break;
    }
  }
  for (const std::string& kind : root.names_in("/sys/class")) {
    const std::string directory = "/sys/class/" + kind;
    for (std::string& name : root.names_in(directory)) {
      std::string syspath = linked(directory + "/" + name);
      if (syspath.empty()) continue;
      auto thing = class_thing(std::move(syspath), kind, std::move(name));
      if (thing && !add(*std::move(thing))) break;
    }
  }
  std::ranges::sort(machine.things, NaturalLess(), &MachineThing::syspath);
  return machine;
}

}  // namespace patchbay::host
