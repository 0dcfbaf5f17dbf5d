#include "host/facts/database_id.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"
#include "host/facts/device_list.h"
#include "host/facts/sysfs_files.h"

namespace patchbay::host {
namespace {

std::optional<DatabaseId> parse_device_number(std::string_view text, bool block) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto major = parse_whole<uint32_t>(text.substr(0, colon));
  const auto minor = parse_whole<uint32_t>(text.substr(colon + 1));
  if (!major || !minor) return std::nullopt;
  DatabaseId id;
  id.number = DeviceNumber{.block = block, .major = *major, .minor = *minor};
  return id;
}

std::optional<DatabaseId> parse_name(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size())
    return std::nullopt;
  if (text.find('/') != std::string_view::npos) return std::nullopt;
  DatabaseId id;
  id.subsystem = text.substr(0, colon);
  id.sysname = text.substr(colon + 1);
  return id;
}

/// ifindex -> syspath of each network interface that this process sees.
std::map<uint32_t, std::string> interfaces_by_index(const DeviceTree& tree) {
  std::map<uint32_t, std::string> interfaces;
  for (auto& syspath : list_kernel_devices(tree, {"net"})) {
    const auto uevent = read_uevent_file(tree.files, syspath);
    if (uevent && uevent->ifindex) interfaces.emplace(*uevent->ifindex, std::move(syspath));
  }
  return interfaces;
}

std::optional<std::string> named_device(const DeviceTree& tree, const DatabaseId& id) {
  if (auto path = canonical_device(tree, "/sys/bus/" + id.subsystem + "/devices/" + id.sysname)) {
    return path;
  }
  return canonical_device(tree, "/sys/class/" + id.subsystem + '/' + id.sysname);
}

}  // namespace

std::optional<DatabaseId> parse_database_id(std::string_view name) {
  if (name.size() < 2) return std::nullopt;
  const std::string_view rest = name.substr(1);
  switch (name.front()) {
    case 'c':
      return parse_device_number(rest, false);
    case 'b':
      return parse_device_number(rest, true);
    case '+':
      return parse_name(rest);
    case 'n': {
      DatabaseId id;
      id.ifindex = parse_whole<uint32_t>(rest);
      return id.ifindex ? std::optional(id) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::string database_id(const DeviceFacts& device, std::optional<uint32_t> ifindex) {
  if (device.number) {
    return fmt::format("{}{}:{}", device.number->block ? 'b' : 'c', device.number->major,
                       device.number->minor);
  }
  if (ifindex) return fmt::format("n{}", *ifindex);
  return fmt::format("+{}:{}", device.subsystem, base_name(device.syspath()));
}

std::vector<std::pair<std::string, std::string>> devices_of_records(
    const std::vector<std::string>& names) {
  const DeviceTree tree;
  std::vector<std::pair<std::string, std::string>> devices;
  std::optional<std::map<uint32_t, std::string>> interfaces;
  for (const std::string& name : names) {
    const auto id = parse_database_id(name);
    if (!id) continue;
    std::optional<std::string> syspath;
    if (id->ifindex) {
      if (!interfaces) interfaces = interfaces_by_index(tree);
      if (const auto found = interfaces->find(*id->ifindex); found != interfaces->end()) {
        syspath = found->second;
      }
    } else if (id->number) {
      syspath = device_with_number(tree, *id->number);
    } else {
      syspath = named_device(tree, *id);
    }
    if (syspath) devices.emplace_back(name, *std::move(syspath));
  }
  return devices;
}

}  // namespace patchbay::host
