#pragma once

#include <optional>
#include <string>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Checks `defaults.domain`, once per file. False, and reported, if it cannot begin a name.
bool check_domain(const config::Located<std::string>& domain, config::Diagnostics& diagnostics);

/// The whole name of a resource: as written, or with `domain` (checked before) put before a name
/// without one. Null, and reported, if the kubelet would refuse it (kubelet contract 2.2).
[[nodiscard]] std::optional<std::string> qualified_resource_name(
    const config::Located<std::string>& written,
    const std::optional<config::Located<std::string>>& domain, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
