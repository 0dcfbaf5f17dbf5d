#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Warns of a group whose parts do not fit together: what it finds has no device node that it gives
/// away, or an id that is the same for all, or texts of a value that the match wants absent.
void warn_of_group(const config::GroupSpec& group, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
