#pragma once

#include <string>
#include <vector>

#include "base/result.h"

/// The kubelet's operations on the files of its device-plugins directory (docs/dev/kubelet.md:
/// Start of the kubelet).
namespace patchbay::fake {

/// mkdir -p, mode 0750.
[[nodiscard]] Result<void> make_directory(const std::string& directory);

/// The paths of the Unix sockets directly in `directory`, in readdir order.
[[nodiscard]] Result<std::vector<std::string>> sockets_in(const std::string& directory);

}  // namespace patchbay::fake
