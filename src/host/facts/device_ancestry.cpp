#include "host/facts/device_ancestry.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/device_identity.h"
#include "host/facts/sysfs_files.h"
#include "host/facts/usb_topology.h"

namespace patchbay::host {
namespace {

using Directories = std::span<const DeviceDirectory>;
using Files = paths::HostRoot;

/// The compared form of an id: 10de for 0x10DE.
std::string id_digits(std::string id) {
  if (id.starts_with("0x") || id.starts_with("0X")) id.erase(0, 2);
  return lower_case(std::move(id));
}

/// The node under /dev/bus/usb, whose number changes at every plug.
std::string usb_node(const Files& files, const std::string& directory) {
  const std::string bus = attribute_text(files, directory, "busnum");
  const std::string device = attribute_text(files, directory, "devnum");
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() <= 3 && std::ranges::all_of(text, is_digit);
  };
  if (!is_number(bus) || !is_number(device)) return {};
  return fmt::format("/dev/bus/usb/{:0>3}/{:0>3}", bus, device);
}

bool is_pci(const DeviceDirectory& directory) { return directory.subsystem == "pci"; }

std::string root_port(Directories above) {
  std::string address;
  for (const DeviceDirectory& directory : above) {
    if (is_pci(directory)) address = base_name(directory.path);
  }
  return address;
}

/// Representors of a switch are beside the interface of the function itself.
bool is_representor(const Files& files, const std::string& interface) {
  return attribute_text(files, interface, "phys_port_name").starts_with("pf");
}

/// The network interface of a PCI function, which may be behind a virtio device.
std::string interface_of(const Files& files, const std::string& function) {
  std::vector<std::string> parents{function};
  for (const std::string& name : sorted_names(files, function)) {
    if (name.starts_with("virtio")) parents.push_back(function + '/' + name);
  }
  for (const std::string& parent : parents) {
    for (std::string& name : sorted_names(files, parent + "/net")) {
      if (!is_representor(files, parent + "/net/" + name)) return std::move(name);
    }
  }
  return {};
}

/// The number of the virtual function with that address.
std::string virtual_number(const Files& files, const std::string& physical,
                           std::string_view address) {
  constexpr std::string_view kLink = "virtfn";
  for (const std::string& name : sorted_names(files, physical)) {
    if (name.starts_with(kLink) && link_name(files, physical + '/' + name) == address) {
      return name.substr(kLink.size());
    }
  }
  return {};
}

std::string pci_value(const Files& files, Directories from_function, std::string_view name) {
  const std::string& directory = from_function.front().path;
  if (name == "vendor" || name == "device" || name == "class") {
    return id_digits(attribute_text(files, directory, std::string(name)));
  }
  if (name == "subsystemVendor")
    return id_digits(attribute_text(files, directory, "subsystem_vendor"));
  if (name == "subsystemDevice")
    return id_digits(attribute_text(files, directory, "subsystem_device"));
  if (name == "driver") return link_name(files, directory + "/driver").value_or("");
  if (name == "address") return std::string(base_name(directory));
  if (name == "rootPort") return root_port(from_function.subspan(1));
  const std::string physical = directory + "/physfn";
  if (name == "physfn") return link_name(files, physical).value_or("");
  if (name == "pfName") return interface_of(files, physical);
  if (name == "vf") return virtual_number(files, physical, base_name(directory));
  return {};
}

/// Reads from the nearest PCI function.
std::string read_pci(const Files& files, Directories lineage, std::string_view name) {
  const auto function = std::ranges::find_if(lineage, is_pci);
  if (function == lineage.end()) return {};
  return pci_value(files, {function, lineage.end()}, name);
}

/// The kernel's -1 means no node.
std::string read_numa_node(const Files& files, Directories lineage) {
  for (const DeviceDirectory& directory : lineage) {
    std::string node = attribute_text(files, directory.path, "numa_node");
    if (!node.empty() && !node.starts_with('-')) return node;
  }
  return {};
}

/// Reads the NUMA node if no driver can be involved: these buses write the file for their devices
/// themselves (drivers/pci/pci-sysfs.c and drivers/base/platform.c in the kernel). Null: a driver
/// may be involved.
std::optional<std::string> try_read_numa_node(const Files& files, Directories lineage) {
  for (const DeviceDirectory& directory : lineage) {
    if (directory.subsystem == "pci" || directory.subsystem == "platform") {
      std::string node = read_numa_node(files, {&directory, 1});
      if (!node.empty()) return node;
    } else if (files.exists(directory.path + "/numa_node")) {
      return std::nullopt;
    }
  }
  return std::string();
}

/// The value of `read` if it is the same for each of `all`, else empty.
template <typename Range, typename Read>
std::string agreed(Range&& all, const Read& read) {
  std::optional<std::string> value;
  for (auto& one : all) {
    std::string its = read(one);
    if (its.empty() || (value && *value != its)) return {};
    value = std::move(its);
  }
  return value.value_or("");
}

/// The NUMA node on which the devices below a virtual device agree. A volume, an array or a bond is
/// on the node of the devices that it consists of.
class NumaNodeBelow {
 public:
  explicit NumaNodeBelow(const DeviceTree& tree) : tree_(tree) {}

  [[nodiscard]] std::string of(const std::vector<std::string>& devices, size_t depth = 1) {
    return agreed(devices, [&](const std::string& device) { return node_of(device, depth); });
  }

 private:
  /// Bounds for trees that the kernel would not create.
  static constexpr size_t kMostLevels = 8;
  static constexpr size_t kMostDevices = 256;

  [[nodiscard]] std::string node_of(const std::string& device, size_t depth) {
    if (device.empty() || ++devices_ > kMostDevices) return {};
    const auto lineages = hardware_lineages(tree_, device);
    std::string node = agreed(
        lineages, [&](const Lineage& lineage) { return read_numa_node(tree_.files, lineage); });
    if (!node.empty() || depth == kMostLevels) return node;
    return of(underlying_devices(tree_, lineages.front()), depth + 1);
  }

  const DeviceTree& tree_;
  size_t devices_ = 0;
};

/// The driver of the device, or of the controller in its lineage.
std::string read_driver(const DeviceTree& tree, const std::string& syspath, Directories lineage) {
  std::string driver = driver_of(tree.files, syspath, tree.top);
  if (!driver.empty()) return driver;
  const auto controller = std::ranges::find(lineage, "nvme", &DeviceDirectory::subsystem);
  return controller == lineage.end() ? "" : driver_of(tree.files, controller->path, tree.top);
}

std::string read_iommu_group(const Files& files, Directories lineage) {
  for (const DeviceDirectory& directory : lineage) {
    if (auto group = link_name(files, directory.path + "/iommu_group")) return *std::move(group);
  }
  return {};
}

}  // namespace

DeviceAncestry::Usb DeviceAncestry::find_usb(Directories directories) const {
  Usb usb{.from_device = find_usb_device(tree_.files, directories)};
  const size_t below_device = directories.size() - usb.from_device.size();
  for (const DeviceDirectory& below : directories.first(below_device)) {
    if (below.subsystem == "usb" &&
        !attribute_text(tree_.files, below.path, "bInterfaceNumber").empty()) {
      usb.interface = below.path;
    }
  }
  return usb;
}

std::string DeviceAncestry::usb_value(const Usb& usb, std::string_view name) const {
  if (usb.from_device.empty()) return {};
  const Files& files = tree_.files;
  const std::string& directory = usb.from_device.front().path;
  if (name == "vendor") return id_digits(attribute_text(files, directory, "idVendor"));
  if (name == "product") return id_digits(attribute_text(files, directory, "idProduct"));
  if (name == "serial") return attribute_text(files, directory, "serial");
  if (name == "socket") return usb_socket(tree_, usb.from_device);
  if (name == "devnode") return usb_node(files, directory);
  if (name == "interface" && !usb.interface.empty()) {
    return attribute_text(files, usb.interface, "bInterfaceNumber");
  }
  return {};
}

std::vector<DeviceAncestry::Branch>& DeviceAncestry::branches() {
  if (!branches_) {
    branches_.emplace();
    for (Lineage& lineage : hardware_lineages(tree_, syspath_)) {
      branches_->push_back({.lineage = std::move(lineage)});
    }
  }
  return *branches_;
}

std::optional<std::string> DeviceAncestry::try_read(const FactName& name) {
  if (!lineage_) lineage_ = lineage(tree_, syspath_);
  // Another file system may be mounted over the directory of the controllers.
  if (has_controllers_elsewhere(*lineage_)) return std::nullopt;
  if (name.fact == Fact::driver) return driver_of(tree_.files, syspath_, tree_.top);
  if (name.fact == Fact::iommu_group) return read_iommu_group(tree_.files, *lineage_);
  if (name.fact != Fact::numa_node) return std::nullopt;
  auto node = try_read_numa_node(tree_.files, *lineage_);
  // The same applies to the underlying devices.
  if (node && node->empty() && !underlying_devices(tree_, *lineage_).empty()) return std::nullopt;
  return node;
}

std::vector<std::string> DeviceAncestry::above() {
  std::vector<std::string> paths;
  for (const DeviceDirectory& directory : branches().front().lineage) {
    const bool is_common = std::ranges::all_of(*branches_, [&](const Branch& branch) {
      return std::ranges::find(branch.lineage, directory.path, &DeviceDirectory::path) !=
             branch.lineage.end();
    });
    if (is_common && directory.path != syspath_) paths.push_back(directory.path);
  }
  return paths;
}

std::string DeviceAncestry::read_of(Branch& branch, const FactName& name) const {
  switch (name.fact) {
    case Fact::driver:
      return read_driver(tree_, syspath_, branch.lineage);
    case Fact::usb:
      if (!branch.usb) branch.usb = find_usb(branch.lineage);
      return usb_value(*branch.usb, name.argument);
    case Fact::pci:
      return read_pci(tree_.files, branch.lineage, name.argument);
    case Fact::numa_node:
      return read_numa_node(tree_.files, branch.lineage);
    case Fact::iommu_group:
      return read_iommu_group(tree_.files, branch.lineage);
    case Fact::identity:
      return read_identity(tree_.files, branch.lineage, name.argument);
    default:
      return {};
  }
}

std::string DeviceAncestry::read(const FactName& name) {
  std::string value = agreed(branches(), [&](Branch& branch) { return read_of(branch, name); });
  if (name.fact != Fact::numa_node || !value.empty()) return value;
  return NumaNodeBelow(tree_).of(underlying_devices(tree_, branches().front().lineage));
}

}  // namespace patchbay::host
