#include "host/facts/lineage.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/facts/sysfs_files.h"
#include "paths/host_root.h"

namespace patchbay::host {
namespace {

std::vector<std::string> sorted_names(const std::string& directory) {
  auto names = paths::HostRoot().names_in(directory);
  std::ranges::sort(names, natural_less);
  return names;
}

/// The kernel announces the removal of a controller while its directory still exists.
bool is_being_removed(const std::string& controller) {
  return read_attribute(controller, "state").value_or("").starts_with("deleting");
}

/// The lineages of the controllers of an NVMe subsystem.
std::vector<Lineage> controllers_of(const std::string& subsystem, const std::string& top) {
  std::vector<Lineage> controllers;
  for (const std::string& name : sorted_names(subsystem)) {
    const auto device = linked_device(subsystem + '/' + name, top);
    if (!device) continue;
    Lineage controller = lineage(*device, top);
    if (!controller.empty() && controller.front().subsystem == "nvme" &&
        !is_being_removed(*device)) {
      controllers.push_back(std::move(controller));
    }
  }
  return controllers;
}

Lineage::const_iterator find_nvme_subsystem(const Lineage& lineage) {
  return std::ranges::find(lineage, "nvme-subsystem", &DeviceDirectory::subsystem);
}

}  // namespace

std::optional<std::string> linked_device(const std::string& link, const std::string& top) {
  if (!paths::link_target(link)) return std::nullopt;
  auto path = paths::HostRoot().resolve(link);
  return path && path->starts_with(top + '/') ? path : std::nullopt;
}

Lineage lineage(const std::string& syspath, const std::string& top) {
  Lineage directories;
  std::string path = syspath;
  while (path.size() > top.size() && path.starts_with(top)) {
    // Directories between devices, such as …/net, are not devices.
    if (auto subsystem = link_name(path + "/subsystem")) {
      directories.push_back({path, *std::move(subsystem)});
    }
    path.resize(path.rfind('/'));
  }
  return directories;
}

bool has_controllers_elsewhere(const Lineage& lineage) {
  return find_nvme_subsystem(lineage) != lineage.end();
}

std::vector<Lineage> hardware_lineages(const std::string& syspath, const std::string& top) {
  Lineage own = lineage(syspath, top);
  const auto subsystem = find_nvme_subsystem(own);
  if (subsystem == own.end()) return {std::move(own)};
  std::vector<Lineage> lineages = controllers_of(subsystem->path, top);
  if (lineages.empty() || lineages.size() > kMostControllers) return {std::move(own)};
  for (Lineage& controller : lineages) {
    controller.insert(controller.begin(), own.begin(), own.end());
  }
  return lineages;
}

std::vector<std::string> underlying_devices(const Lineage& lineage, const std::string& top) {
  for (const DeviceDirectory& directory : lineage) {
    if (!directory.path.starts_with(top + "/virtual/")) break;
    const bool is_disk = directory.subsystem == "block";
    if (!is_disk && directory.subsystem != "net") continue;
    const std::string directory_path = is_disk ? directory.path + "/slaves" : directory.path;
    std::vector<std::string> devices;
    for (const std::string& name : sorted_names(directory_path)) {
      if (!is_disk && !name.starts_with("lower_")) continue;
      devices.push_back(linked_device(directory_path + '/' + name, top).value_or(""));
    }
    if (!devices.empty()) return devices;
  }
  return {};
}

}  // namespace patchbay::host
