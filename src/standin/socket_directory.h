#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

/// The kubelet's operations on the files of its device-plugins directory (docs/kubelet.md: Start of
/// the kubelet).
namespace patchbay::standin {

/// mkdir -p, mode 0750.
[[nodiscard]] Result<void> make_directory(const std::string& directory);

/// The paths of the Unix sockets directly in `directory`, in readdir order.
[[nodiscard]] Result<std::vector<std::string>> sockets_in(const std::string& directory);

/// Deletes the Unix sockets directly in `directory`, and no other files.
[[nodiscard]] Result<void> delete_sockets(const std::string& directory);

/// A non-blocking Unix socket that listens at `path`. The file outlives the descriptor: later
/// connections are refused, as after the exit of a kubelet.
[[nodiscard]] Result<UniqueFd> listen_at(const std::string& path);

}  // namespace patchbay::standin
