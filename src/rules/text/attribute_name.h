#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::rules {

/// Checks the path of an attribute below its device. Returns the fault, such as "begins with '/'".
/// Null for a relative path without `.` and `..`, in which at most one component is `*`.
[[nodiscard]] std::optional<std::string> attribute_name_fault(std::string_view name);

}  // namespace patchbay::rules
