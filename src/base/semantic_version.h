#pragma once

#include <string_view>

namespace patchbay {

/// Whether `text` is a version by https://semver.org, 2.0.0, such as "1.2.3-rc.1+build". Numbers
/// must fit into 63 bits, because Kubernetes 1.38 and newer reject others. Pure.
[[nodiscard]] bool is_semantic_version(std::string_view text);

}  // namespace patchbay
