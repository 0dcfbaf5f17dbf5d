#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/facts.h"

/// What the words mean by which the kernel tells of a device, in its events and in /sys. Any
/// thread.
namespace patchbay::host {

/// Its name, by its directory in /sys, where a "!" stands for a "/".
[[nodiscard]] std::string sysname_of(std::string_view syspath);

/// Its device node, by DEVNAME. Empty: none.
[[nodiscard]] std::string devnode_of(std::string_view devname);

/// Of its device node, by MAJOR and MINOR; `block` is for the caller to set. None: it has none.
[[nodiscard]] std::optional<DeviceNumber> number_of(std::string_view major, std::string_view minor);

}  // namespace patchbay::host
