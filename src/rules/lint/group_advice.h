#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Warns about a group whose keys contradict each other. Examples: its devices have no node, all
/// have the same id, or a text uses a value that the match requires to be absent.
void warn_of_group(const config::GroupSpec& group, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
