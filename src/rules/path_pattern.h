#pragma once

#include "config/diagnostics.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// Checks a pattern of absolute paths, wherever it leads. False, and reported, if it cannot be
/// used.
bool check_path_pattern(const config::Located<std::string>& pattern,
                        config::Diagnostics& diagnostics);

/// The same of a pattern of `sysfs:` or `glob:`, which leads where such rules look.
bool check_path_pattern(const config::Located<std::string>& pattern, RuleKind kind,
                        config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
