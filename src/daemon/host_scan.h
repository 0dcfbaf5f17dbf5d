#pragma once

#include "base/result.h"
#include "host/host.h"
#include "inventory/inventory.h"
#include "rules/plan.h"

namespace patchbay::daemon {

/// Looks at the host once, and resolves what is there. Runs a loop of its own: for commands that
/// answer one question. `options.watch` is not looked at.
[[nodiscard]] Result<inventory::Inventory> scan_host(const rules::PlanPtr& plan,
                                                     host::HostOptions options);

}  // namespace patchbay::daemon
