#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::serve {

/// `<slug>-<hash>`: a name for a file of that resource, at most 33 bytes. The slug is for people,
/// the hash of the whole name tells resources apart.
[[nodiscard]] std::string resource_file_name(std::string_view resource);

/// `patchbay-<slug>-<hash>-<start id>-<n>.sock`, at most 75 bytes, never used twice (kubelet
/// contract 2.3): the start id tells this process from others, `n` this attempt.
[[nodiscard]] std::string endpoint_name(std::string_view resource, std::string_view start_id,
                                        uint64_t n);

/// `.patchbay-<start id>-<n>.sock`: the name under which that socket is made, until it listens. It
/// is shorter, so that a socket that can be registered can be made.
[[nodiscard]] std::string temporary_endpoint_name(std::string_view start_id, uint64_t n);

/// Whether a file name is of one of these forms, of any process of ours.
[[nodiscard]] bool is_endpoint_name(std::string_view name);

/// Eight hex digits that no other start of the process had.
[[nodiscard]] std::string make_start_id();

/// Deletes sockets in `directory` that an earlier process of ours left: named like an endpoint, and
/// nobody listens. How many.
size_t remove_stale_endpoints(const std::string& directory);

}  // namespace patchbay::serve
