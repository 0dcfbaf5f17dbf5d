#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

/// What a kubelet does to the files of its device-plugins directory (kubelet contract 3.1).
namespace patchbay::standin {

/// mkdir -p, mode 0750.
[[nodiscard]] Result<void> make_directory(const std::string& directory);

/// The paths of the unix sockets directly in `directory`, in readdir order.
[[nodiscard]] Result<std::vector<std::string>> sockets_in(const std::string& directory);

/// Deletes every unix socket directly in `directory`; all else stays.
[[nodiscard]] Result<void> delete_sockets(const std::string& directory);

/// A non-blocking unix socket that listens at `path`. The file outlives the descriptor: connecting
/// to it is then refused, as after the end of a kubelet's process.
[[nodiscard]] Result<UniqueFd> listen_at(const std::string& path);

}  // namespace patchbay::standin
