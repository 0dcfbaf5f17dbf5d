#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::rpc {

/// Returns `<slug>-<hash>`, a file name for that resource, of at most 33 bytes. The slug is for
/// people; the hash of the whole name makes it unique.
[[nodiscard]] std::string resource_file_name(std::string_view resource);

/// Returns `patchbay-<slug>-<hash>-<start id>-<n>.sock`, at most 75 bytes, never used twice
/// (docs/dev/kubelet.md: Repeated registration). The start id identifies this process, and `n` the
/// attempt.
[[nodiscard]] std::string endpoint_name(std::string_view resource, std::string_view start_id,
                                        uint64_t n);

/// Returns `.patchbay-<start id>-<n>.sock`, the name of that socket until it listens. It is shorter
/// than the final name: if the final path fits into a socket address, so does this one.
[[nodiscard]] std::string temporary_endpoint_name(std::string_view start_id, uint64_t n);

/// Returns eight hex digits, different for each start of the process.
[[nodiscard]] std::string make_start_id();

/// Deletes sockets in `directory` that an earlier process left: named like an endpoint, without a
/// listener. Returns their number.
size_t remove_stale_endpoints(const std::string& directory);

}  // namespace patchbay::rpc
