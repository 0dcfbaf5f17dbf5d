#pragma once

#include "config/diagnostics.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Checks a pattern of absolute paths, in any directory. If the pattern is not usable, reports the
/// reason and returns false.
bool check_path_pattern(const config::Located<std::string>& pattern,
                        config::Diagnostics& diagnostics);

/// Checks a pattern of `sysfs:` or `glob:`. Also rejects variables, and paths in directories that
/// rules of this kind do not watch.
bool check_path_pattern(const config::Located<std::string>& pattern, RuleKind kind,
                        config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
