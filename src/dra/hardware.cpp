#include "dra/hardware.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "model/facts.h"

namespace patchbay::dra {
namespace {

struct Row {
  std::string_view attribute;
  Fact fact;
  std::string_view field;
};

constexpr std::array kUsb{
    Row{"usbVendor", Fact::usb, "vendor"},
    Row{"usbProduct", Fact::usb, "product"},
    Row{"usbSerial", Fact::usb, "serial"},
    Row{"usbSocket", Fact::usb, "socket"},
};

constexpr std::array kPci{
    Row{"pciVendor", Fact::pci, "vendor"},
    Row{"pciDevice", Fact::pci, "device"},
    Row{"resource.kubernetes.io/pciBusID", Fact::pci, "address"},
};

/// Whether a directory of /sys is a PCI root, such as "pci0000:00".
bool is_pci_root(std::string_view name) {
  constexpr std::string_view kPrefix = "pci";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const size_t colon = name.find(':');
  return colon != std::string_view::npos && colon >= 4 && name.size() == colon + 3 &&
         name.find_first_not_of("0123456789abcdef:") == std::string_view::npos;
}

/// The first PCI root in the path, as other drivers publish it. Empty: there is none.
std::string pci_root(const DeviceFacts& device) {
  for (const std::string_view name : split(device.syspath(), '/')) {
    if (is_pci_root(name)) return std::string(name);
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string_view, std::string>> hardware_attributes(
    const inventory::UnitMembers& members) {
  const DeviceFacts& device = *members.of(0).front().facts;
  std::vector<std::pair<std::string_view, std::string>> found;
  const auto add = [&](std::span<const Row> rows) {
    for (const Row& row : rows) {
      std::string text(values_of(device, row.fact, row.field).only());
      if (!text.empty()) found.emplace_back(row.attribute, std::move(text));
    }
  };
  add(kUsb);
  if (found.empty()) add(kPci);
  if (std::string root = pci_root(device); !root.empty()) {
    found.emplace_back("resource.kubernetes.io/pcieRoot", std::move(root));
  }
  return found;
}

}  // namespace patchbay::dra
