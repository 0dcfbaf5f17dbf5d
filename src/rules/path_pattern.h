#pragma once

#include "config/diagnostics.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// Checks a pattern of `sysfs:` or `glob:`. False, and reported, if it cannot be used.
bool check_path_pattern(const config::Located<std::string>& pattern, RuleKind kind,
                        config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
