#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"
#include "paths/host_root.h"

/// Reads single files and links below a directory of /sys. `files` is HostRoot::kernel_files(). Any
/// thread; reads may block on the driver.
namespace patchbay::host {

/// Reads the value of an attribute, as rules compare it. For a file: its content (at most a page)
/// without trailing white space and NULs. For a link: the last component of its target. `path` is
/// below `directory`, without "..", and may contain links. Null if the attribute is missing, a
/// directory, unreadable, or empty.
[[nodiscard]] std::optional<std::string> read_attribute(const paths::HostRoot& files,
                                                        const std::string& directory,
                                                        const std::string& path);

/// As read_attribute(), but empty instead of null.
[[nodiscard]] std::string attribute_text(const paths::HostRoot& files, std::string_view directory,
                                         const std::string& path);

/// Reads the values of all files that match a `path` with wildcards, in the natural order of their
/// paths. Without wildcards: the value of that file.
[[nodiscard]] std::vector<std::string> read_attributes(const paths::HostRoot& files,
                                                       const std::string& directory,
                                                       const std::string& path);

/// The names in a directory, in natural order. Empty if the directory cannot be read.
[[nodiscard]] std::vector<std::string> sorted_names(const paths::HostRoot& files,
                                                    const std::string& directory);

/// The last component of the target of the symbolic link `path`.
[[nodiscard]] std::optional<std::string> link_name(const paths::HostRoot& files,
                                                   const std::string& path);

/// The driver of the device at `syspath`. A device of a class has no driver of its own. For such a
/// device, the result is the driver of the nearest device above that has a driver, up to `top`
/// (/sys/devices). Empty if there is none.
[[nodiscard]] std::string driver_of(const paths::HostRoot& files, std::string_view syspath,
                                    std::string_view top);

/// The content of a device's `uevent` file.
struct UeventFile {
  std::string devtype;
  std::string devnode;
  std::optional<DeviceNumber> number;  ///< The caller sets `block`.
  std::optional<uint32_t> ifindex;     ///< Set for network interfaces.
};

/// Returns null if the directory has no readable `uevent` file, so that it is not a device.
[[nodiscard]] std::optional<UeventFile> read_uevent_file(const paths::HostRoot& files,
                                                         const std::string& syspath);

}  // namespace patchbay::host
