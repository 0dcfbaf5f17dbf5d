#include "machine/kernel_properties.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::machine {
namespace {

std::string property(const Device& device, std::string_view name) {
  const auto found = device.properties.find(name);
  return found == device.properties.end() ? "" : found->second;
}

/// A hexadecimal number with leading zeros, in lower case.
std::string padded(std::string_view digits, size_t width) {
  std::string text(digits.size() < width ? width - digits.size() : 0, '0');
  return text + lower_case(std::string(digits));
}

/// An attribute from its property, if the property is there and the attribute is not.
void add(Device& device, const char* name, std::string value) {
  if (!value.empty()) device.attributes.emplace(name, std::move(value));
}

/// Two numbers "8086:43ED", as the kernel's attributes have them.
void add_ids(Device& device, const std::string& ids, const char* first, const char* second) {
  const size_t colon = ids.find(':');
  if (colon == std::string::npos) return;
  add(device, first, "0x" + padded(std::string_view(ids).substr(0, colon), 4));
  add(device, second, "0x" + padded(std::string_view(ids).substr(colon + 1), 4));
}

void add_pci(Device& device) {
  add_ids(device, property(device, "PCI_ID"), "vendor", "device");
  add_ids(device, property(device, "PCI_SUBSYS_ID"), "subsystem_vendor", "subsystem_device");
  const std::string code = property(device, "PCI_CLASS");
  if (!code.empty()) add(device, "class", "0x" + padded(code, 6));
}

/// A decimal number without leading zeros.
std::string decimal(const std::string& digits) {
  const auto number = parse_whole<unsigned>(digits);
  return number ? std::to_string(*number) : "";
}

/// A decimal number as two hexadecimal digits.
std::string two_digits(std::string_view digits) {
  const auto number = parse_whole<unsigned>(digits);
  return number ? fmt::format("{:02x}", *number) : "";
}

void add_usb_device(Device& device) {
  const std::string product = property(device, "PRODUCT");  // "403/6001/600"
  const auto numbers = split(product, '/');
  if (numbers.size() == 3) {
    add(device, "idVendor", padded(numbers[0], 4));
    add(device, "idProduct", padded(numbers[1], 4));
    add(device, "bcdDevice", padded(numbers[2], 4));
  }
  const std::string type = property(device, "TYPE");  // "9/0/1"
  add(device, "bDeviceClass", two_digits(split(type, '/').front()));
  add(device, "busnum", decimal(property(device, "BUSNUM")));
  add(device, "devnum", decimal(property(device, "DEVNUM")));
  add(device, "serial", property(device, "ID_SERIAL_SHORT"));
  const std::string_view name = base_name(device.path);
  const size_t dash = name.find('-');
  if (dash != std::string_view::npos) {
    add(device, "devpath", std::string(name.substr(dash + 1)));
  } else if (name.starts_with("usb")) {
    add(device, "devpath", "0");
    // The Linux Foundation's root hubs: the product is the revision.
    if (numbers.size() == 3 && numbers[0] == "1d6b") {
      add(device, "version", fmt::format(" {}.00", numbers[1]));
    }
  }
}

/// "1-4.1:1.0" is interface 0 of configuration 1.
void add_usb_interface(Device& device) {
  const std::string_view name = base_name(device.path);
  const size_t dot = name.rfind('.');
  if (name.contains(':') && dot != std::string_view::npos) {
    add(device, "bInterfaceNumber", two_digits(name.substr(dot + 1)));
  }
  const std::string type = property(device, "INTERFACE");  // "255/255/255"
  const auto numbers = split(type, '/');
  if (numbers.size() != 3) return;
  add(device, "bInterfaceClass", two_digits(numbers[0]));
  add(device, "bInterfaceSubClass", two_digits(numbers[1]));
  add(device, "bInterfaceProtocol", two_digits(numbers[2]));
}

void set(std::string& field, std::string value) {
  if (field.empty()) field = std::move(value);
}

std::vector<std::string> tags_in(std::string_view text) {
  std::vector<std::string> tags;
  for (const std::string_view tag : split(text, ':')) {
    if (!tag.empty()) tags.emplace_back(tag);
  }
  return tags;
}

}  // namespace

void complete_from_properties(Device& device) {
  const std::string subsystem = property(device, "SUBSYSTEM");
  if (device.subsystem.empty() && !subsystem.empty()) {
    device.subsystem = subsystem;
    device.on_bus = is_usually_on_bus(device.path, subsystem);
  }
  set(device.devtype, property(device, "DEVTYPE"));
  set(device.driver, property(device, "DRIVER"));
  const std::string node = property(device, "DEVNAME");
  if (node.starts_with("/dev/")) set(device.node, node.substr(5));
  const auto major = parse_whole<uint32_t>(property(device, "MAJOR"));
  const auto minor = parse_whole<uint32_t>(property(device, "MINOR"));
  if (!device.number && major && minor && !device.node.empty()) {
    device.number = DeviceNumber{.block = false, .major = *major, .minor = *minor};
  }
  if (!device.ifindex) device.ifindex = parse_whole<uint32_t>(property(device, "IFINDEX"));
  if (device.tags.empty()) device.tags = tags_in(property(device, "CURRENT_TAGS"));
  if (device.tags.empty()) device.tags = tags_in(property(device, "TAGS"));
  if (!device.attributes.empty()) return;
  if (device.subsystem == "pci") add_pci(device);
  if (device.subsystem == "usb" && device.devtype == "usb_device") add_usb_device(device);
  if (device.subsystem == "usb" && device.devtype == "usb_interface") add_usb_interface(device);
  if (device.subsystem == "block") add(device, "partition", property(device, "PARTN"));
}

}  // namespace patchbay::machine
