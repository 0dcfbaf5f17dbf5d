#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::rules {

/// What is wrong with the path of an attribute below its device, as in "… begins with '/'"; null
/// for a relative path without `.` and `..`, of which at most one whole part is the wildcard `*`.
[[nodiscard]] std::optional<std::string> attribute_name_fault(std::string_view name);

}  // namespace patchbay::rules
