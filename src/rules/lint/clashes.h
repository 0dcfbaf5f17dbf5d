#pragma once

#include "config/diagnostics.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {

/// Warns if two resources can give one container different content under one env name, one
/// annotation or one container path. The kubelet uses the entry of one resource, whichever comes
/// first, and drops the others (docs/kubelet.md: Responses of several resources). Allocate checks
/// this within a resource.
void warn_of_clashes(const Plan& plan, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
