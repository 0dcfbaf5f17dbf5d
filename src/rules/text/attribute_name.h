#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::rules {

/// The fault of an attribute path below its device, as in "… begins with '/'". Null for a relative
/// path without `.` and `..` in which at most one whole component is the wildcard `*`.
[[nodiscard]] std::optional<std::string> attribute_name_fault(std::string_view name);

}  // namespace patchbay::rules
