#pragma once

#include <set>
#include <string>
#include <string_view>

namespace patchbay::host {

/// The numbers of a list as the kernel writes it: "0-1,4". None if it is not one.
[[nodiscard]] std::set<int> parse_node_list(std::string_view text);

/// The NUMA nodes that are online; none where the kernel does not say. Any thread; a short read.
[[nodiscard]] std::set<int> read_online_nodes(
    const std::string& path = "/sys/devices/system/node/online");

}  // namespace patchbay::host
