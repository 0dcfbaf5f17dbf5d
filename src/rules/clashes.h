#pragma once

#include "config/diagnostics.h"
#include "rules/plan.h"

namespace patchbay::rules {

/// Warns where two resources could give one container different things under one env name, one
/// annotation or at one container path: the kubelet takes those of one resource, whichever comes
/// first, and drops the others (kubelet contract 5.5). Within a resource Allocate sees to it.
void warn_of_clashes(const Plan& plan, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
