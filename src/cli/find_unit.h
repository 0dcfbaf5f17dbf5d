#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "inventory/resolution.h"
#include "rules/plan.h"

/// What a person calls a resource or a unit, and what was most likely meant where there is none.
namespace patchbay::cli {

/// "; did you mean 'gpu'?" where one of the known is near; else empty.
[[nodiscard]] std::string did_you_mean(const std::string& word,
                                       const std::vector<std::string>& known);

/// The resource of the plan with that name; without its domain where only one fits.
[[nodiscard]] Result<size_t> find_resource(const rules::Plan& plan, const std::string& name);

/// Whether the kubelet knows a healthy device of the resource by that id; else why not.
[[nodiscard]] Result<void> check_unit(const inventory::Resolution& resolution, size_t resource,
                                      const std::string& id);

}  // namespace patchbay::cli
