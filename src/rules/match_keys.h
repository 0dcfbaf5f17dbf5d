#pragma once

#include "config/diagnostics.h"
#include "config/spec.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// Checks that a rule of that kind knows the keys of a match, or of a block in one: of paths and
/// static names little is known. Reports where it does not.
void check_match_keys(const config::MatchSpec& spec, RuleKind kind,
                      config::Diagnostics& diagnostics);

/// Reports a match that has nothing which says what to look at.
void report_no_kind(const config::MatchSpec& spec, config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
