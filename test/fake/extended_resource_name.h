#pragma once

#include <string_view>

namespace patchbay::fake {

/// Whether a kubelet accepts `name` as an extended resource (docs/dev/kubelet.md: Resource names).
[[nodiscard]] bool is_extended_resource_name(std::string_view name);

}  // namespace patchbay::fake
