#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Which kernel devices there are: names only, no device is opened. Blocking: pool.
namespace patchbay::host {

/// Where the kernel shows all that it has.
inline constexpr const char* kDeviceTree = "/sys/devices";

/// The canonical syspaths, sorted, of the devices whose subsystem one of the fnmatch patterns
/// covers.
[[nodiscard]] std::vector<std::string> list_kernel_devices(
    const std::vector<std::string>& subsystems);

/// What a listing means for the devices that were reported.
struct DeviceScan {
  std::vector<std::string> reported;  ///< Sorted, before list().
  std::vector<std::string> unknown;   ///< Listed, but not reported.
  std::vector<std::string> missing;   ///< Reported, but not listed.
  std::set<int> nodes_online;
  int exhaustion_errno = 0;  ///< The errno of a want of room: the rest means nothing.

  void list(const std::vector<std::string>& subsystems);
};

/// Whether one of the names and fnmatch patterns covers `subsystem`.
[[nodiscard]] bool covers(const std::vector<std::string>& subsystems, const std::string& subsystem);

/// The canonical syspath that a link of /sys leads to; none unless it is below /sys/devices.
[[nodiscard]] std::optional<std::string> canonical_device(const std::string& link);

}  // namespace patchbay::host
