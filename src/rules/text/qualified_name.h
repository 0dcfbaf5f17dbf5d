#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Returns the fault of a lowercase DNS name. Null: it is valid.
[[nodiscard]] std::optional<std::string> dns_name_fault(std::string_view name, size_t most);

/// Checks `defaults.domain`, once per file. If it cannot be the domain of a resource name, reports
/// it and returns false.
bool check_domain(const config::Located<std::string>& domain, config::Diagnostics& diagnostics);

/// Returns the full name of a resource. Adds `domain`, which was checked before, to a name without
/// a domain. If the kubelet would reject the name (docs/dev/kubelet.md: Resource names), reports it
/// and returns null.
[[nodiscard]] std::optional<std::string> qualified_resource_name(
    const config::Located<std::string>& written,
    const std::optional<config::Located<std::string>>& domain, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
