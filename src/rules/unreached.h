#pragma once

#include <span>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Warns of a group that never gets a device, because a group before it matches every device that
/// it matches, on the same nodes, and keeps it from others.
void warn_of_unreached(std::span<const config::Spec> specs, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
