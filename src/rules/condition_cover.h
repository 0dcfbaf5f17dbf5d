#pragma once

#include "config/spec.h"

namespace patchbay::rules {

/// Whether every value that meets `narrow` meets `wide`, as far as that can be told from what is
/// written. False where it is not known.
[[nodiscard]] bool covers(const config::ConditionSpec& wide, const config::ConditionSpec& narrow);

/// The same of the devices that matches, or blocks of them, are met by.
[[nodiscard]] bool covers(const config::MatchSpec& wide, const config::MatchSpec& narrow);

/// Whether both are written alike, wherever they stand.
[[nodiscard]] bool same(const config::MatchSpec& a, const config::MatchSpec& b);

}  // namespace patchbay::rules
