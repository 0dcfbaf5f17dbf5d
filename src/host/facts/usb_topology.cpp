#include "host/facts/usb_topology.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "host/facts/sysfs_files.h"

namespace patchbay::host {
namespace {

/// Properties that all ports of one bus share.
struct UsbBus {
  std::string controller;
  std::string revision;  ///< USB revision: "2" or "3".

  [[nodiscard]] std::string name_of(std::string_view ports) const {
    return fmt::format("{}-usbv{}-{}", controller, revision, ports);
  }
};

/// The bus of a USB device or interface. Its root hub is the last USB device above it.
std::optional<UsbBus> bus_of(std::span<const DeviceDirectory> lineage) {
  const auto controller = std::ranges::find_if(
      lineage, [](const DeviceDirectory& directory) { return directory.subsystem != "usb"; });
  if (controller == lineage.begin() || controller == lineage.end()) return std::nullopt;
  std::string revision = usb_revision(std::prev(controller)->path);
  if (revision.empty()) return std::nullopt;
  return UsbBus{std::string(base_name(controller->path)), std::move(revision)};
}

/// The name of a hub's port, …/usb1/1-2/1-2:1.0/1-2-port3, if its bus is older than `revision`.
std::string name_on_older_bus(const std::string& port, std::string_view revision,
                              const std::string& top) {
  constexpr std::string_view kBefore = "-port";
  const std::string_view name = base_name(port);
  const size_t number = name.rfind(kBefore);
  const Lineage above = lineage(port, top);
  const auto hub = std::ranges::find_if(above, is_usb_device);
  const auto bus = bus_of(above);
  if (number == std::string_view::npos || hub == above.end() || !bus) return {};
  if (bus->revision >= revision) return {};
  const std::string_view last = name.substr(number + kBefore.size());
  const std::string ports = attribute_text(hub->path, "devpath");
  return bus->name_of(ports == "0" ? std::string(last) : fmt::format("{}.{}", ports, last));
}

}  // namespace

bool is_usb_device(const DeviceDirectory& directory) {
  return directory.subsystem == "usb" && !attribute_text(directory.path, "idVendor").empty();
}

std::string usb_revision(const std::string& device) {
  const std::string version = attribute_text(device, "version");  // " 2.00"
  const size_t begin = std::min(version.find_first_not_of(' '), version.size());
  return version.substr(begin, version.find('.') - begin);
}

std::string usb_port(std::span<const DeviceDirectory> from_device) {
  const auto bus = bus_of(from_device);
  const std::string ports = bus ? attribute_text(from_device.front().path, "devpath") : "";
  return ports.empty() ? ports : bus->name_of(ports);
}

std::string usb_socket(std::span<const DeviceDirectory> from_device, const std::string& top) {
  const auto bus = bus_of(from_device);
  if (!bus) return {};
  const std::string ports = attribute_text(from_device.front().path, "devpath");
  for (const DeviceDirectory& directory : from_device) {
    if (!is_usb_device(directory)) continue;
    const auto peer = linked_device(directory.path + "/port/peer", top);
    if (!peer) continue;
    const std::string name = name_on_older_bus(*peer, bus->revision, top);
    const std::string here = attribute_text(directory.path, "devpath");
    if (name.empty() || !ports.starts_with(here)) break;
    return name + ports.substr(here.size());
  }
  return usb_port(from_device);
}

}  // namespace patchbay::host
