#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {

/// The units of a resource that an edit adds and removes on this machine: their ids, in natural
/// order.
struct UnitChanges {
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

/// The changes by resource name, without unchanged resources. Runs no probes. Returns an Error if
/// this machine's devices cannot be read. Blocks; see run_discovery().
[[nodiscard]] Result<std::map<std::string, UnitChanges>> unit_changes(const rules::PlanPtr& before,
                                                                      const rules::PlanPtr& now);

}  // namespace patchbay::cli
