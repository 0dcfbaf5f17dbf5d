#pragma once

#include <optional>
#include <string_view>

#include "rules/lint/advice.h"

namespace patchbay::rules {

/// Advice for a path below /dev in `mounts`: the container sees device nodes that it cannot open.
/// Null for other paths, and for paths there that are not devices, such as /dev/shm.
[[nodiscard]] std::optional<Advice> mounted_nodes(std::string_view path);

}  // namespace patchbay::rules
