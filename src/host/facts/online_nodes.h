#pragma once

#include <set>
#include <string>
#include <string_view>

namespace patchbay::host {

/// The numbers of a list in the kernel's format: "0-1,4". Empty if it is malformed.
[[nodiscard]] std::set<int> parse_node_list(std::string_view text);

/// The online NUMA nodes. Empty if the kernel does not report them. Any thread; a short read.
[[nodiscard]] std::set<int> read_online_nodes(
    const std::string& path = "/sys/devices/system/node/online");

}  // namespace patchbay::host
