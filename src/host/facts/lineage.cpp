#include "host/facts/lineage.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "host/facts/device_list.h"
#include "host/facts/sysfs_files.h"

namespace patchbay::host {
namespace {

/// The kernel announces the removal of a controller while its directory still exists.
bool is_being_removed(const DeviceTree& tree, const std::string& controller) {
  return read_attribute(tree.files, controller, "state").value_or("").starts_with("deleting");
}

/// The lineages of the controllers of an NVMe subsystem.
std::vector<Lineage> controllers_of(const DeviceTree& tree, const std::string& subsystem) {
  std::vector<Lineage> controllers;
  for (const std::string& name : sorted_names(tree.files, subsystem)) {
    const auto device = linked_device(tree, subsystem + '/' + name);
    if (!device) continue;
    Lineage controller = lineage(tree, *device);
    if (!controller.empty() && controller.front().subsystem == "nvme" &&
        !is_being_removed(tree, *device)) {
      controllers.push_back(std::move(controller));
    }
  }
  return controllers;
}

Lineage::const_iterator find_nvme_subsystem(const Lineage& lineage) {
  return std::ranges::find(lineage, "nvme-subsystem", &DeviceDirectory::subsystem);
}

}  // namespace

std::optional<std::string> linked_device(const DeviceTree& tree, const std::string& link) {
  if (!tree.files.link_target(link)) return std::nullopt;
  return canonical_device(tree, link);
}

Lineage lineage(const DeviceTree& tree, const std::string& syspath) {
  Lineage directories;
  std::string path = syspath;
  while (path.size() > tree.top.size() && path.starts_with(tree.top)) {
    // Directories between devices, such as …/net, are not devices.
    if (auto subsystem = link_name(tree.files, path + "/subsystem")) {
      directories.push_back({path, *std::move(subsystem)});
    }
    path.resize(path.rfind('/'));
  }
  return directories;
}

bool has_controllers_elsewhere(const Lineage& lineage) {
  return find_nvme_subsystem(lineage) != lineage.end();
}

std::vector<Lineage> hardware_lineages(const DeviceTree& tree, const std::string& syspath) {
  Lineage own = lineage(tree, syspath);
  const auto subsystem = find_nvme_subsystem(own);
  if (subsystem == own.end()) return {std::move(own)};
  std::vector<Lineage> lineages = controllers_of(tree, subsystem->path);
  if (lineages.empty() || lineages.size() > kMostControllers) return {std::move(own)};
  for (Lineage& controller : lineages) {
    controller.insert(controller.begin(), own.begin(), own.end());
  }
  return lineages;
}

std::vector<std::string> underlying_devices(const DeviceTree& tree, const Lineage& lineage) {
  for (const DeviceDirectory& directory : lineage) {
    if (!directory.path.starts_with(tree.top + "/virtual/")) break;
    const bool is_disk = directory.subsystem == "block";
    if (!is_disk && directory.subsystem != "net") continue;
    const std::string directory_path = is_disk ? directory.path + "/slaves" : directory.path;
    std::vector<std::string> devices;
    for (const std::string& name : sorted_names(tree.files, directory_path)) {
      if (!is_disk && !name.starts_with("lower_")) continue;
      devices.push_back(linked_device(tree, directory_path + '/' + name).value_or(""));
    }
    if (!devices.empty()) return devices;
  }
  return {};
}

}  // namespace patchbay::host
