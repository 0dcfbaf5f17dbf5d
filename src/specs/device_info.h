#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inventory/snapshot.h"

/// Builds device-info files, in which Multus and CNI plugins read which network device a container
/// has. They follow the Device Information Specification 1.1.0 of the Network Plumbing Working
/// Group.
namespace patchbay::specs {

struct DeviceInfo {
  std::string name;  ///< File name.
  std::string content;
};

/// Returns a file for each listed id whose unit has a PCI function. The file describes the first
/// PCI function. Units whose devices do not exist have no file.
[[nodiscard]] std::vector<DeviceInfo> device_infos(const inventory::Snapshot& snapshot);

/// Returns the prefix of the file names of the resource. Files of other resources may have the same
/// prefix.
[[nodiscard]] std::string device_info_prefix(std::string_view resource);

/// Whether Patchbay could have written this file. Other plugins use the same directory.
[[nodiscard]] bool is_our_device_info(std::string_view name, const std::string& content);

}  // namespace patchbay::specs
