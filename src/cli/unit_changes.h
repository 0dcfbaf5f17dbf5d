#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "rules/plan.h"

namespace patchbay::cli {

/// Which units of a resource an edit adds and removes on this machine: their ids, in natural order.
struct UnitChanges {
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

/// By name of the resource; only those whose units change. No probe of the plans is run. An error:
/// this machine's devices are not known. Blocks; see run_discovery().
[[nodiscard]] Result<std::map<std::string, UnitChanges>> unit_changes(const rules::PlanPtr& before,
                                                                      const rules::PlanPtr& now);

}  // namespace patchbay::cli
