#pragma once

#include <optional>
#include <string>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Checks `defaults.domain`, once per file. False if it cannot begin a name, which is reported.
bool check_domain(const config::Located<std::string>& domain, config::Diagnostics& diagnostics);

/// The full name of a resource: as written, or with `domain` (already checked) before a name
/// without one. Returns null if the kubelet would reject it (docs/dev/kubelet.md: Resource names),
/// which is reported.
[[nodiscard]] std::optional<std::string> qualified_resource_name(
    const config::Located<std::string>& written,
    const std::optional<config::Located<std::string>>& domain, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
