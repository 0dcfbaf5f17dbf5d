#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/facts.h"

/// Single files and links below a directory of /sys. Any thread; reading may block on the driver.
namespace patchbay::host {

/// The value of an attribute as the rules compare it: a file's content (at most a page) without
/// trailing white space and NULs, or the last part of a link's target. `path` is below `directory`
/// and may pass through links, but not hold "..". None: not there, a directory, unreadable, or
/// empty.
[[nodiscard]] std::optional<std::string> read_attribute(const std::string& directory,
                                                        const std::string& path);

/// The same as text: empty if there is none.
[[nodiscard]] std::string attribute_text(std::string_view directory, const std::string& path);

/// The same of all files that a `path` with wildcards finds, in the natural order of their paths;
/// of a path without wildcards, of that one.
[[nodiscard]] std::vector<std::string> read_attributes(const std::string& directory,
                                                       const std::string& path);

/// The last part of what the symbolic link `path` points to.
[[nodiscard]] std::optional<std::string> link_name(const std::string& path);

/// The driver of the device at `syspath`. Drivers are of devices on a bus: a device of a class has
/// that of the nearest device above, up to `top` (/sys/devices), that has one. Empty: none.
[[nodiscard]] std::string driver_of(std::string_view syspath, std::string_view top);

/// What the kernel tells in a device's `uevent` file.
struct UeventFile {
  std::string devtype;
  std::string devnode;
  std::optional<DeviceNumber> number;  ///< `block` is for the caller to set.
  std::optional<uint32_t> ifindex;     ///< Of a network interface.
};

/// None: the directory has no readable `uevent`, so it is no device.
[[nodiscard]] std::optional<UeventFile> read_uevent_file(const std::string& syspath);

}  // namespace patchbay::host
