#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "inventory/allocate.h"
#include "inventory/bindings.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::inventory {

/// Which entries are wanted. With `cdi: write`, the devices and mounts of a unit are in its CDI
/// spec. Optional ones are in the answer, because only Allocate knows whether they exist.
enum class Injection {
  answer,  ///< The answer to Allocate. It names the CDI device of each unit with entries in a spec.
  spec,    ///< The devices and mounts in the CDI specs of the units.
  all,     ///< The entries of both.
};

/// Renders the entries of a resource for these units, which must be in natural order of ids. Fails
/// as allocate() does, but ignores health. Pure except for `path_exists`, which `spec` does not
/// call. Any thread.
[[nodiscard]] Result<Allocation> assemble(const rules::ResourcePlan& resource,
                                          std::span<const Grant> units,
                                          const PathExists& path_exists,
                                          Injection injection = Injection::answer);

}  // namespace patchbay::inventory
