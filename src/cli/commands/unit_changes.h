#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/options.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {

/// How an edit of the configuration changes the ids that the kubelet can allocate for a resource.
struct UnitChanges {
  std::vector<std::string> added;    ///< In natural order.
  std::vector<std::string> removed;  ///< In natural order.
  /// Why units become unhealthy, or why the next start of the daemon will refuse their devices.
  std::vector<std::string> reasons;
};

/// Returns the plan without its probes, for commands that must not run programs.
[[nodiscard]] rules::PlanPtr without_probes(const rules::PlanPtr& plan);

/// Returns the changes of each changed resource, by name. Scans the host for both plans, without
/// probes. Unless `host` has a machine file, it also asks the running daemon which units containers
/// have. Returns an Error if the devices cannot be read. Blocks; see run_discovery().
[[nodiscard]] Result<std::map<std::string, UnitChanges>> unit_changes(
    const rules::PlanPtr& before, const rules::PlanPtr& now, const HostCommandOptions& host);

}  // namespace patchbay::cli
