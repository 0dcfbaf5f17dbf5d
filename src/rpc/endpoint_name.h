#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::rpc {

/// Returns `<slug>-<hash>`, a file name for the resource, of at most 33 bytes. The slug is the
/// beginning of the resource's name, for people. The hash of the whole name makes it unique.
[[nodiscard]] std::string resource_file_name(std::string_view resource);

/// Returns `patchbay-<slug>-<hash>-<start id>-<n>.sock`, at most 75 bytes. The start id identifies
/// this process, and `n` the attempt, so that no name is used twice (docs/dev/kubelet.md: Repeated
/// registration).
[[nodiscard]] std::string endpoint_name(std::string_view resource, std::string_view start_id,
                                        uint64_t n);

/// Returns the same without the slug, at most 50 bytes: for directories with long paths.
[[nodiscard]] std::string short_endpoint_name(std::string_view name, std::string_view start_id,
                                              uint64_t n);

/// Returns `.patchbay-<start id>-<n>.sock`, the name of the same socket until it listens. It is
/// shorter than the final name, so it fits into a socket address if the final path does.
[[nodiscard]] std::string temporary_endpoint_name(std::string_view start_id, uint64_t n);

/// Returns eight hex digits, different for each start of the process.
[[nodiscard]] std::string make_start_id();

/// Deletes the sockets in `directory` that earlier processes left. They are named like an endpoint
/// and have no listener. Returns their number.
size_t remove_stale_endpoints(const std::string& directory);

}  // namespace patchbay::rpc
