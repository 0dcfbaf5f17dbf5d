#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"

/// Finds resources and units by the names that a person types, with suggestions for unknown names.
namespace patchbay::cli {

/// "; did you mean 'gpu'?" if a known word is similar; else empty.
[[nodiscard]] std::string did_you_mean(const std::string& word,
                                       const std::vector<std::string>& known);

/// The plan's resource with that name. The domain is optional if only one resource matches.
[[nodiscard]] Result<size_t> find_resource(const rules::Plan& plan, const std::string& name);

/// Checks that the kubelet knows a healthy device of the resource with that id. The Error has the
/// reason.
[[nodiscard]] Result<void> check_unit(const inventory::Resolution& resolution, size_t resource,
                                      const std::string& id);

}  // namespace patchbay::cli
