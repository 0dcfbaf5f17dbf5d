#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inventory/snapshot.h"

/// Device information files, by which Multus and CNI plugins learn which network device a container
/// was given: Device Information Specification 1.1.0 of the Network Plumbing Working Group.
namespace patchbay::specs {

struct DeviceInfo {
  std::string name;  ///< Of the file.
  std::string content;
};

/// Of everything that the resource lists and whose devices are there, by the first PCI function of
/// each unit.
[[nodiscard]] std::vector<DeviceInfo> device_infos(const inventory::Snapshot& snapshot);

/// What the names of all files of that resource begin with; of other resources some may, too.
[[nodiscard]] std::string device_info_prefix(std::string_view resource);

/// Whether the content is one that we write: other plugins keep their files in the same directory.
[[nodiscard]] bool is_our_device_info(std::string_view name, const std::string& content);

}  // namespace patchbay::specs
