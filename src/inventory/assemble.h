#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/bindings.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

/// How a container gets devices and mounts.
enum class Injection {
  as_configured,  ///< Entries of a group with `cdi: write` through the CDI device of their unit.
  direct,         ///< All in the answer, independent of the configuration.
};

/// Renders the entries of a resource for these units, which must be in natural order of ids. Fails
/// as allocate() does, but ignores health. Pure except for `path_exists`. Any thread.
[[nodiscard]] Result<Allocation> assemble(const rules::ResourcePlan& resource,
                                          std::span<const Grant> units,
                                          const PathExists& path_exists,
                                          Injection injection = Injection::as_configured);

}  // namespace patchbay::inventory
