#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/resolution.h"
#include "rules/plan/plan_fwd.h"

/// Finds resources and units by the names that a person types, with suggestions for unknown names.
namespace patchbay::cli {

/// Returns a text such as "; did you mean 'gpu'?", or "" if no known word is similar.
[[nodiscard]] std::string did_you_mean(const std::string& word,
                                       const std::vector<std::string>& known);

/// Returns the index of the resource with that name. The domain is optional if the name is unique.
[[nodiscard]] Result<size_t> find_resource(const rules::Plan& plan, const std::string& name);

/// Checks that the kubelet can allocate the id: it is an id of a healthy unit of the resource, or
/// of a share of one. Otherwise returns an Error with the reason.
[[nodiscard]] Result<void> check_unit(const inventory::Resolution& resolution, size_t resource,
                                      const std::string& id);

}  // namespace patchbay::cli
