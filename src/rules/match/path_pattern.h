#pragma once

#include "config/diagnostics.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Checks a pattern of absolute paths, in any directory. If it is not usable, reports the reason
/// and returns false.
bool check_path_pattern(const config::Located<std::string>& pattern,
                        config::Diagnostics& diagnostics);

/// Checks a pattern of `sysfs:` or `glob:`. Unlike the other function, it rejects directories that
/// such rules do not watch.
bool check_path_pattern(const config::Located<std::string>& pattern, RuleKind kind,
                        config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
