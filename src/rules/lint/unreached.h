#pragma once

#include <span>

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Warns about a group that never gets a device. A group before it matches all of its devices on
/// the same nodes, and claims them exclusively.
void warn_of_unreached(std::span<const config::Spec> specs, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
