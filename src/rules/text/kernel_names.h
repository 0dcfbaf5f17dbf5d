#pragma once

#include <string_view>

/// Known Linux names, against which configurations are checked. The tables are not used for
/// matching, and an unknown name causes no warning. To add a name, add a row.
namespace patchbay::rules {

/// Devices of some subsystems, such as hid, have no device node, but another device of the same
/// hardware has a node. Returns the subsystem of that other device, such as hidraw. Returns an
/// empty text if no such subsystem is known.
[[nodiscard]] std::string_view subsystem_of_nodes(std::string_view subsystem);

/// Whether the path is known to be a directory, such as /dev/dri.
[[nodiscard]] bool is_known_directory(std::string_view path);

}  // namespace patchbay::rules
