#pragma once

#include "base/result.h"
#include "cli/options/options.h"
#include "config/diagnostics.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {

/// Warns about each resource of the plan that offers no unit on the recorded machine of the
/// options. An Error names the file and the line. Blocks; see run_discovery().
[[nodiscard]] Result<void> check_on_machine(const rules::PlanPtr& plan,
                                            const HostCommandOptions& host,
                                            config::Diagnostics& diagnostics);

}  // namespace patchbay::cli
