#pragma once

#include "config/diagnostics.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Checks a pattern of absolute paths in any directory. False if it is not usable, which is
/// reported.
bool check_path_pattern(const config::Located<std::string>& pattern,
                        config::Diagnostics& diagnostics);

/// Checks a pattern of `sysfs:` or `glob:`, also for directories that such rules do not watch.
bool check_path_pattern(const config::Located<std::string>& pattern, RuleKind kind,
                        config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
