#pragma once

#include <optional>
#include <string>

namespace patchbay::specs {

/// The path of the host to which `path` leads, all links followed as the host sees them, whose file
/// system is at `root`; null if it leads nowhere. Blocking; any thread.
[[nodiscard]] std::optional<std::string> resolve_links(const std::string& root,
                                                       const std::string& path);

}  // namespace patchbay::specs
