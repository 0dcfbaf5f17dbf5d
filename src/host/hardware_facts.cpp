#include "host/hardware_facts.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "host/sysfs_files.h"

namespace patchbay::host {
namespace {

using Directories = std::span<const DeviceDirectory>;

std::string attribute(const std::string& directory, const std::string& name) {
  return read_attribute(directory, name).value_or("");
}

/// An id as it is compared: of 0x10DE, 10de.
std::string id_digits(std::string id) {
  if (id.starts_with("0x") || id.starts_with("0X")) id.erase(0, 2);
  std::ranges::transform(id, id.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return id;
}

/// The names in a directory, sorted; none if it cannot be read.
std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failed;
  for (std::filesystem::directory_iterator it(directory, failed), end; !failed && it != end;
       it.increment(failed)) {
    names.push_back(it->path().filename());
  }
  std::ranges::sort(names, natural_less);
  return names;
}

/// A USB device, and what stands above and below it.
struct UsbPlace {
  std::string device;     ///< Its directory.
  std::string interface;  ///< The directory of the interface that was passed on the way up.
  Directories above;      ///< From the device on.
};

bool is_usb_device(const DeviceDirectory& directory) {
  return directory.subsystem == "usb" && !attribute(directory.path, "idVendor").empty();
}

std::optional<UsbPlace> find_usb(Directories directories) {
  const auto device = std::ranges::find_if(directories, is_usb_device);
  if (device == directories.end()) return std::nullopt;
  UsbPlace place;
  place.device = device->path;
  place.above = {device, directories.end()};
  for (auto below = directories.begin(); below != device; ++below) {
    if (below->subsystem == "usb" && !attribute(below->path, "bInterfaceNumber").empty()) {
      place.interface = below->path;
    }
  }
  return place;
}

/// Numbers of buses change from boot to boot: a port is named by its controller, the revision of
/// the root hub, and the ports on the way.
std::string usb_port(const UsbPlace& place) {
  const auto above_hub = std::ranges::find_if(
      place.above, [](const DeviceDirectory& directory) { return directory.subsystem != "usb"; });
  const auto hubs = Directories{place.above.begin(), above_hub};
  if (above_hub == place.above.end()) return {};
  const std::string version = attribute(hubs.back().path, "version");  // " 2.00"
  const size_t begin = std::min(version.find_first_not_of(' '), version.size());
  const std::string revision = version.substr(begin, version.find('.') - begin);
  const std::string ports = attribute(place.device, "devpath");
  if (revision.empty() || ports.empty()) return {};
  return fmt::format("{}-usbv{}-{}", last_part(above_hub->path), revision, ports);
}

/// The node under /dev/bus/usb, which is numbered anew at every plug.
std::string usb_node(const UsbPlace& place) {
  const std::string bus = attribute(place.device, "busnum");
  const std::string device = attribute(place.device, "devnum");
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() <= 3 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_number(bus) || !is_number(device)) return {};
  return fmt::format("/dev/bus/usb/{:0>3}/{:0>3}", bus, device);
}

std::string usb_value(const UsbPlace& place, std::string_view name) {
  if (name == "vendor") return id_digits(attribute(place.device, "idVendor"));
  if (name == "product") return id_digits(attribute(place.device, "idProduct"));
  if (name == "serial") return attribute(place.device, "serial");
  if (name == "port") return usb_port(place);
  if (name == "devnode") return usb_node(place);
  if (name == "interface" && !place.interface.empty()) {
    return attribute(place.interface, "bInterfaceNumber");
  }
  return {};
}

bool is_pci(const DeviceDirectory& directory) { return directory.subsystem == "pci"; }

std::string root_port(Directories above) {
  std::string address;
  for (const DeviceDirectory& directory : above) {
    if (is_pci(directory)) address = last_part(directory.path);
  }
  return address;
}

/// Representors of a switch stand beside the interface of the function itself.
bool is_representor(const std::string& interface) {
  return attribute(interface, "phys_port_name").starts_with("pf");
}

std::string interface_of(const std::string& function) {
  for (std::string& name : names_in(function + "/net")) {
    if (!is_representor(function + "/net/" + name)) return std::move(name);
  }
  return {};
}

/// The number of the virtual function with that address.
std::string virtual_number(const std::string& physical, std::string_view address) {
  constexpr std::string_view kLink = "virtfn";
  for (const std::string& name : names_in(physical)) {
    if (name.starts_with(kLink) && link_name(physical + '/' + name) == address) {
      return name.substr(kLink.size());
    }
  }
  return {};
}

std::string pci_value(Directories from_function, std::string_view name) {
  const std::string& directory = from_function.front().path;
  if (name == "vendor" || name == "device" || name == "class") {
    return id_digits(attribute(directory, std::string(name)));
  }
  if (name == "subsystemVendor") return id_digits(attribute(directory, "subsystem_vendor"));
  if (name == "subsystemDevice") return id_digits(attribute(directory, "subsystem_device"));
  if (name == "driver") return link_name(directory + "/driver").value_or("");
  if (name == "address") return std::string(last_part(directory));
  if (name == "rootPort") return root_port(from_function.subspan(1));
  const std::string physical = directory + "/physfn";
  if (name == "physfn") return link_name(physical).value_or("");
  if (name == "pfName") return interface_of(physical);
  if (name == "vf") return virtual_number(physical, last_part(directory));
  return {};
}

template <typename Value>
NamedValues present_values(const std::vector<std::string>& names, const Value& value) {
  NamedValues values;
  for (const std::string& name : names) {
    if (std::string text = value(name); !text.empty()) values.emplace(name, std::move(text));
  }
  return values;
}

}  // namespace

std::vector<DeviceDirectory> lineage(const std::string& syspath, const std::string& top) {
  std::vector<DeviceDirectory> directories;
  std::string path = syspath;
  while (path.size() > top.size() && path.starts_with(top)) {
    // Directories such as …/net stand between devices and are none.
    if (auto subsystem = link_name(path + "/subsystem")) {
      directories.push_back({path, *std::move(subsystem)});
    }
    path.resize(path.rfind('/'));
  }
  return directories;
}

NamedValues read_usb(const std::vector<DeviceDirectory>& lineage,
                     const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const auto place = find_usb(lineage);
  if (!place) return {};
  return present_values(names, [&](const std::string& name) { return usb_value(*place, name); });
}

NamedValues read_pci(const std::vector<DeviceDirectory>& lineage,
                     const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const auto function = std::ranges::find_if(lineage, is_pci);
  if (function == lineage.end()) return {};
  const Directories from_function(function, lineage.end());
  return present_values(names,
                        [&](const std::string& name) { return pci_value(from_function, name); });
}

std::string read_numa_node(const std::vector<DeviceDirectory>& lineage) {
  for (const DeviceDirectory& directory : lineage) {
    std::string node = attribute(directory.path, "numa_node");
    if (!node.empty() && !node.starts_with('-')) return node;
  }
  return {};
}

std::string read_iommu_group(const std::vector<DeviceDirectory>& lineage) {
  for (const DeviceDirectory& directory : lineage) {
    if (auto group = link_name(directory.path + "/iommu_group")) return *std::move(group);
  }
  return {};
}

}  // namespace patchbay::host
