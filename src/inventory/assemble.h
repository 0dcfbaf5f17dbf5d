#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/bindings.h"
#include "rules/plan.h"

namespace patchbay::inventory {

/// How devices and mounts come to a container.
enum class Injection {
  as_configured,  ///< Those of a group with `cdi: write` by the CDI device of their unit.
  direct,         ///< All in the answer, whatever is configured.
};

/// What the entries of a resource make of these units, which must be in natural order of ids. Fails
/// as allocate() does; health is not looked at. Pure but for `path_exists`; any thread.
[[nodiscard]] Result<Allocation> assemble(const rules::ResourcePlan& resource,
                                          std::span<const Grant> units,
                                          const PathExists& path_exists,
                                          Injection injection = Injection::as_configured);

}  // namespace patchbay::inventory
