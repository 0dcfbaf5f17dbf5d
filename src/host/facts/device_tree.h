#pragma once

#include <string>
#include <utility>

#include "paths/host_root.h"

namespace patchbay::host {

/// The tree from which kernel devices are read: /sys, or a recorded one. Cheap to copy.
struct DeviceTree {
  DeviceTree() : DeviceTree(paths::HostRoot()) {}
  /// `directory` differs from /sys only in tests: udev's database knows no other directory.
  explicit DeviceTree(const paths::HostRoot& root, const std::string& directory = "/sys")
      : files(root.kernel_files()), sysfs(directory), top(directory + "/devices") {}

  /// Whether the path is below the directory of all devices.
  [[nodiscard]] bool contains(const std::string& path) const { return path.starts_with(top + '/'); }

  paths::HostRoot files;
  std::string sysfs;
  std::string top;  ///< The directory of all devices: /sys/devices.
};

}  // namespace patchbay::host
