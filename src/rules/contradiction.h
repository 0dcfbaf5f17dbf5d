#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Warns of a condition that no value meets: an empty range, a value and its opposite; and of
/// bounds in another unit than the kernel's.
void warn_of_contradictions(const ComparedValue& value, const config::ConditionSpec& condition,
                            config::Diagnostics& diagnostics);

/// Warns of a match, or a `when`, that excepts all that it finds.
void warn_of_exceptions(const config::MatchSpec& match, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
