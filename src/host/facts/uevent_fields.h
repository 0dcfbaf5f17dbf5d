#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/facts.h"

/// Parses the fields by which the kernel describes a device, in its events and in /sys. Any thread.
namespace patchbay::host {

/// The name of the device at `syspath`. In its directory name, "!" stands for "/".
[[nodiscard]] std::string sysname_of(std::string_view syspath);

/// The path of the device node, from DEVNAME. Empty if there is none.
[[nodiscard]] std::string devnode_of(std::string_view devname);

/// The number of the device node, from MAJOR and MINOR; the caller sets `block`. Null if there is
/// none.
[[nodiscard]] std::optional<DeviceNumber> number_of(std::string_view major, std::string_view minor);

}  // namespace patchbay::host
