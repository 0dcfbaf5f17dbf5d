#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"

namespace patchbay::rules {

/// Finds texts that are valid but have no effect: they match nothing, nothing replaces them, or
/// they mean something in another language. Warns about them with a hint. A text without wildcards
/// that no value can equal is a mistake.
void check_ineffective_texts(const config::Spec& spec, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
