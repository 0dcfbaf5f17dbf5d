#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/options.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {

/// The ids that the kubelet can allocate for a resource only after an edit, or only before it, in
/// natural order.
struct UnitChanges {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  /// Why units are lost or new ones unhealthy, or why the next start will refuse them.
  std::vector<std::string> reasons;
};

/// The same plan without its probes, for commands that must not run programs.
[[nodiscard]] rules::PlanPtr without_probes(const rules::PlanPtr& plan);

/// The changes by resource name, without unchanged resources. Runs no probes. For this machine it
/// asks the daemon which units containers have. Returns an Error if the devices of that host cannot
/// be read. Blocks; see run_discovery().
[[nodiscard]] Result<std::map<std::string, UnitChanges>> unit_changes(
    const rules::PlanPtr& before, const rules::PlanPtr& now, const HostCommandOptions& host);

}  // namespace patchbay::cli
