#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/facts.h"

/// Parses the fields by which the kernel describes a device, in its events and in /sys. Any thread.
namespace patchbay::host {

/// The device's name, from its directory in /sys, where "!" replaces "/".
[[nodiscard]] std::string sysname_of(std::string_view syspath);

/// Its device node, from DEVNAME. Empty: none.
[[nodiscard]] std::string devnode_of(std::string_view devname);

/// The number of its device node, from MAJOR and MINOR; the caller sets `block`. Null: it has none.
[[nodiscard]] std::optional<DeviceNumber> number_of(std::string_view major, std::string_view minor);

}  // namespace patchbay::host
