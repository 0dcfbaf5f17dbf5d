#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Looks for what can be read and cannot work: texts that match nothing, that nothing replaces, or
/// that mean something in another language. Warns of them, with the way out; of a text without
/// wildcards that no value can ever be, it is a mistake.
void check_ineffective_texts(const config::Spec& spec, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
