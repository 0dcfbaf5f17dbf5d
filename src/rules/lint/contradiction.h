#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Warns about a condition that no value meets (an empty range, a value and its opposite), and
/// about bounds in another unit than the kernel's.
void warn_of_contradictions(const ComparedValue& value, const config::ConditionSpec& condition,
                            config::Diagnostics& diagnostics);

/// Warns about a match, or a `when`, that excludes everything that it finds.
void warn_of_exceptions(const config::MatchSpec& match, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
