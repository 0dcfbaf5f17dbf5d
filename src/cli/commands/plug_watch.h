#pragma once

#include <vector>

#include "base/result.h"
#include "host/host.h"
#include "rules/plan/plan_fwd.h"
#include "suggest/candidates.h"

namespace patchbay::cli {

/// Waits for the next devices of known kinds that are plugged in. `kinds`: the plan for all kinds.
/// Returns an Error if a signal ends the wait. Call it before any other thread starts.
[[nodiscard]] Result<std::vector<suggest::Wanted>> wait_for_plug(const rules::PlanPtr& kinds,
                                                                 host::HostOptions options);

}  // namespace patchbay::cli
