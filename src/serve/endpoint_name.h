#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::serve {

/// `patchbay-<slug>-<hash>-<start id>-<n>.sock`, at most 75 bytes, never used twice (kubelet
/// contract 2.3): the slug is for people, the hash of the whole resource name tells resources
/// apart, the start id this process from others, `n` this attempt.
[[nodiscard]] std::string endpoint_name(std::string_view resource, std::string_view start_id,
                                        uint64_t n);

/// Whether a file name is of that form, of any process of ours.
[[nodiscard]] bool is_endpoint_name(std::string_view name);

/// Eight hex digits that no other start of the process had.
[[nodiscard]] std::string make_start_id();

/// Deletes sockets in `directory` that an earlier process of ours left: named like an endpoint, and
/// nobody listens. How many.
size_t remove_stale_endpoints(const std::string& directory);

}  // namespace patchbay::serve
