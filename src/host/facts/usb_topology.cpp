#include "host/facts/usb_topology.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/sysfs_files.h"

namespace patchbay::host {
namespace {

bool is_usb_device(const paths::HostRoot& files, const DeviceDirectory& directory) {
  return directory.subsystem == "usb" && !attribute_text(files, directory.path, "idVendor").empty();
}

/// Properties that all ports of one bus share.
struct UsbBus {
  std::string controller;
  std::string revision;  ///< USB revision: "2" or "3".

  [[nodiscard]] std::string name_of(std::string_view ports) const {
    return fmt::format("{}-usbv{}-{}", controller, revision, ports);
  }
};

/// The bus of a USB device or interface. Its root hub is the last USB device above it.
std::optional<UsbBus> bus_of(const paths::HostRoot& files,
                             std::span<const DeviceDirectory> lineage) {
  const auto controller = std::ranges::find_if(
      lineage, [](const DeviceDirectory& directory) { return directory.subsystem != "usb"; });
  if (controller == lineage.begin() || controller == lineage.end()) return std::nullopt;
  std::string revision = usb_revision(files, std::prev(controller)->path);
  if (revision.empty()) return std::nullopt;
  return UsbBus{std::string(base_name(controller->path)), std::move(revision)};
}

/// The name of a hub's port, …/usb1/1-2/1-2:1.0/1-2-port3, if its bus is older than `revision`.
std::string name_on_older_bus(const DeviceTree& tree, const std::string& port,
                              std::string_view revision) {
  constexpr std::string_view kBefore = "-port";
  const std::string_view name = base_name(port);
  const size_t number = name.rfind(kBefore);
  const Lineage above = lineage(tree, port);
  const auto hub = find_usb_device(tree.files, above);
  const auto bus = bus_of(tree.files, above);
  if (number == std::string_view::npos || hub.empty() || !bus) return {};
  if (bus->revision >= revision) return {};
  const std::string_view last = name.substr(number + kBefore.size());
  const std::string ports = attribute_text(tree.files, hub.front().path, "devpath");
  return bus->name_of(ports == "0" ? std::string(last) : fmt::format("{}.{}", ports, last));
}

}  // namespace

std::span<const DeviceDirectory> find_usb_device(const paths::HostRoot& files,
                                                 std::span<const DeviceDirectory> lineage) {
  const auto device = std::ranges::find_if(
      lineage, [&](const DeviceDirectory& directory) { return is_usb_device(files, directory); });
  return {device, lineage.end()};
}

std::string usb_revision(const paths::HostRoot& files, const std::string& device) {
  const std::string version = attribute_text(files, device, "version");  // " 2.00"
  const size_t begin = std::min(version.find_first_not_of(' '), version.size());
  return version.substr(begin, version.find('.') - begin);
}

std::string usb_socket(const DeviceTree& tree, std::span<const DeviceDirectory> from_device) {
  const paths::HostRoot& files = tree.files;
  const auto bus = bus_of(files, from_device);
  if (!bus) return {};
  const std::string ports = attribute_text(files, from_device.front().path, "devpath");
  for (const DeviceDirectory& directory : from_device) {
    if (!is_usb_device(files, directory)) continue;
    const auto peer = linked_device(tree, directory.path + "/port/peer");
    if (!peer) continue;
    const std::string name = name_on_older_bus(tree, *peer, bus->revision);
    const std::string here = attribute_text(files, directory.path, "devpath");
    if (name.empty() || !ports.starts_with(here)) break;
    return name + ports.substr(here.size());
  }
  return ports.empty() ? ports : bus->name_of(ports);
}

}  // namespace patchbay::host
