#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/facts/device_tree.h"
#include "model/facts.h"

/// Lists the kernel's devices: names only, no device is opened. Blocking: on a work thread.
namespace patchbay::host {

/// The directory of all devices of the kernel.
inline constexpr const char* kDeviceTree = "/sys/devices";

/// Returns the canonical syspaths, sorted, of devices whose subsystem matches an fnmatch pattern.
[[nodiscard]] std::vector<std::string> list_kernel_devices(
    const DeviceTree& tree, const std::vector<std::string>& subsystems);

/// Parses a list of numbers in the kernel's format: "0-1,4". Empty if it is malformed.
[[nodiscard]] std::set<int> parse_node_list(std::string_view text);

/// Reads the online NUMA nodes. Empty if the kernel does not report them. Any thread; a short read.
[[nodiscard]] std::set<int> read_online_nodes(const DeviceTree& tree);

/// A listing compared with the reported devices.
struct DeviceScan {
  std::vector<std::string> reported;  ///< Input of list(): the keys of reported devices, sorted.
  std::vector<std::string> unknown;   ///< Listed, but not reported.
  std::vector<std::string> missing;   ///< Reported, but not listed.
  std::set<int> nodes_online;
  int exhaustion_errno = 0;  ///< Errno of resource exhaustion. 0 if the other fields are valid.

  void list(const DeviceTree& tree, const std::vector<std::string>& subsystems);
};

/// Whether one of the fnmatch patterns matches `subsystem`.
[[nodiscard]] bool covers(const std::vector<std::string>& subsystems, const std::string& subsystem);

/// The canonical syspath of the device with that number. Null if there is none.
[[nodiscard]] std::optional<std::string> device_with_number(const DeviceTree& tree,
                                                            const DeviceNumber& number);

/// The canonical syspath that a link of /sys leads to. Null if the link leads to no device.
[[nodiscard]] std::optional<std::string> canonical_device(const DeviceTree& tree,
                                                          const std::string& link);

}  // namespace patchbay::host
