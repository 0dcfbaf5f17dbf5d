#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Reports keys of a match, or of a block in one, that a rule of this kind does not have. Paths and
/// static names have few keys.
void check_match_keys(const config::MatchSpec& spec, RuleKind kind,
                      config::Diagnostics& diagnostics);

/// Reports a match without a key that selects devices.
void report_no_kind(const config::MatchSpec& spec, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
