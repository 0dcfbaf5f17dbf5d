#pragma once

#include <string>
#include <vector>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Warns about an item of `static:` that is meant as several names: 10, scope1-4, scope[1-4]. Each
/// item is one name, as written.
void warn_of_static_names(const std::vector<config::Located<std::string>>& names,
                          config::Diagnostics& diagnostics);

}  // namespace patchbay::rules
