#pragma once

#include <set>
#include <string>
#include <string_view>

#include "host/facts/device_tree.h"

namespace patchbay::host {

/// The numbers of a list in the kernel's format: "0-1,4". Empty if it is malformed.
[[nodiscard]] std::set<int> parse_node_list(std::string_view text);

/// The online NUMA nodes. Empty if the kernel does not report them. Any thread; a short read.
[[nodiscard]] std::set<int> read_online_nodes(const DeviceTree& tree);

}  // namespace patchbay::host
