#include "host/hardware_facts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "host/host_root.h"
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
  auto names = HostRoot().names_in(directory);
  std::ranges::sort(names, natural_less);
  return names;
}

bool is_usb_device(const DeviceDirectory& directory) {
  return directory.subsystem == "usb" && !attribute(directory.path, "idVendor").empty();
}

/// Numbers of buses change from boot to boot: a port is named by its controller, the revision of
/// the root hub, and the ports on the way.
std::string usb_port(Directories from_device) {
  const auto above_hub = std::ranges::find_if(
      from_device, [](const DeviceDirectory& directory) { return directory.subsystem != "usb"; });
  const auto hubs = Directories{from_device.begin(), above_hub};
  if (above_hub == from_device.end()) return {};
  const std::string version = attribute(hubs.back().path, "version");  // " 2.00"
  const size_t begin = std::min(version.find_first_not_of(' '), version.size());
  const std::string revision = version.substr(begin, version.find('.') - begin);
  const std::string ports = attribute(from_device.front().path, "devpath");
  if (revision.empty() || ports.empty()) return {};
  return fmt::format("{}-usbv{}-{}", last_part(above_hub->path), revision, ports);
}

/// The node under /dev/bus/usb, which is numbered anew at every plug.
std::string usb_node(const std::string& directory) {
  const std::string bus = attribute(directory, "busnum");
  const std::string device = attribute(directory, "devnum");
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() <= 3 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_number(bus) || !is_number(device)) return {};
  return fmt::format("/dev/bus/usb/{:0>3}/{:0>3}", bus, device);
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

/// Of the nearest PCI function.
std::string read_pci(Directories lineage, std::string_view name) {
  const auto function = std::ranges::find_if(lineage, is_pci);
  if (function == lineage.end()) return {};
  return pci_value({function, lineage.end()}, name);
}

/// The kernel's -1 is none.
std::string read_numa_node(Directories lineage) {
  for (const DeviceDirectory& directory : lineage) {
    std::string node = attribute(directory.path, "numa_node");
    if (!node.empty() && !node.starts_with('-')) return node;
  }
  return {};
}

/// The same where no driver can be asked: those buses write that file of their devices themselves
/// (drivers/pci/pci-sysfs.c and drivers/base/platform.c in the kernel). None: one can.
std::optional<std::string> numa_node_at_once(Directories lineage) {
  for (const DeviceDirectory& directory : lineage) {
    if (directory.subsystem == "pci" || directory.subsystem == "platform") {
      std::string node = read_numa_node({&directory, 1});
      if (!node.empty()) return node;
    } else if (HostRoot().exists(directory.path + "/numa_node")) {
      return std::nullopt;
    }
  }
  return std::string();
}

std::string read_iommu_group(Directories lineage) {
  for (const DeviceDirectory& directory : lineage) {
    if (auto group = link_name(directory.path + "/iommu_group")) return *std::move(group);
  }
  return {};
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

Surroundings::Usb Surroundings::find_usb() const {
  const Directories directories = *lineage_;
  const auto device = std::ranges::find_if(directories, is_usb_device);
  Usb usb{.from_device = {device, directories.end()}};
  for (auto below = directories.begin(); below != device; ++below) {
    if (below->subsystem == "usb" && !attribute(below->path, "bInterfaceNumber").empty()) {
      usb.interface = below->path;
    }
  }
  return usb;
}

std::string Surroundings::usb_value(const Usb& usb, std::string_view name) {
  if (usb.from_device.empty()) return {};
  const std::string& directory = usb.from_device.front().path;
  if (name == "vendor") return id_digits(attribute(directory, "idVendor"));
  if (name == "product") return id_digits(attribute(directory, "idProduct"));
  if (name == "serial") return attribute(directory, "serial");
  if (name == "port") return usb_port(usb.from_device);
  if (name == "devnode") return usb_node(directory);
  if (name == "interface" && !usb.interface.empty()) {
    return attribute(usb.interface, "bInterfaceNumber");
  }
  return {};
}

std::optional<std::string> Surroundings::read_at_once(const FactName& name) {
  if (name.fact != Fact::numa_node && name.fact != Fact::iommu_group) return std::nullopt;
  if (!lineage_) lineage_ = lineage(syspath_, top_);
  return name.fact == Fact::numa_node ? numa_node_at_once(*lineage_) : read_iommu_group(*lineage_);
}

std::string Surroundings::read(const FactName& name) {
  if (!lineage_) lineage_ = lineage(syspath_, top_);
  switch (name.fact) {
    case Fact::usb:
      if (!usb_) usb_ = find_usb();
      return usb_value(*usb_, name.argument);
    case Fact::pci:
      return read_pci(*lineage_, name.argument);
    case Fact::numa_node:
      return read_numa_node(*lineage_);
    case Fact::iommu_group:
      return read_iommu_group(*lineage_);
    default:
      return {};
  }
}

}  // namespace patchbay::host
