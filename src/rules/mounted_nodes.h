#pragma once

#include <optional>
#include <string_view>

#include "rules/advice.h"

namespace patchbay::rules {

/// A path below /dev in `mounts`, which shows a container device nodes that it cannot open. Null
/// for other paths, and for what is no device there, such as /dev/shm.
[[nodiscard]] std::optional<Advice> mounted_nodes(std::string_view path);

}  // namespace patchbay::rules
