#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inventory/snapshot.h"

/// Device information files tell Multus and CNI plugins which network device a container got. They
/// follow the Device Information Specification 1.1.0 of the Network Plumbing Working Group.
namespace patchbay::specs {

struct DeviceInfo {
  std::string name;  ///< File name.
  std::string content;
};

/// Returns a file for each listed id whose devices exist, with the first PCI function of its unit.
[[nodiscard]] std::vector<DeviceInfo> device_infos(const inventory::Snapshot& snapshot);

/// Returns the prefix of the names of all files of that resource. Files of other resources may have
/// it, too.
[[nodiscard]] std::string device_info_prefix(std::string_view resource);

/// Whether we write such content: other plugins use the same directory.
[[nodiscard]] bool is_our_device_info(std::string_view name, const std::string& content);

}  // namespace patchbay::specs
