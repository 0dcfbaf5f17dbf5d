#pragma once

#include <string_view>

namespace patchbay::standin {

/// Whether a kubelet accepts `name` as an extended resource (kubelet contract 2.2).
[[nodiscard]] bool is_extended_resource_name(std::string_view name);

}  // namespace patchbay::standin
