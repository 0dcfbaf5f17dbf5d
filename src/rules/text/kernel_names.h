#pragma once

#include <string_view>

/// Tables of Linux names that configurations are checked against. A new name is a new row. The
/// tables are not used for matching, and an unknown name causes no warning.
namespace patchbay::rules {

/// The subsystem of the nodes of devices that have none themselves: hidraw for hid. Empty: not
/// known.
[[nodiscard]] std::string_view subsystem_of_nodes(std::string_view subsystem);

/// Whether the path is a directory on every host that has it: /dev/dri.
[[nodiscard]] bool is_known_directory(std::string_view path);

}  // namespace patchbay::rules
