#pragma once

#include "config/spec.h"

namespace patchbay::rules {

/// Whether every device that matches `narrow` also matches `wide`, judged by the text of their
/// conditions. False if this is not known. `wide` and `narrow` can also be blocks of a match.
[[nodiscard]] bool covers(const config::MatchSpec& wide, const config::MatchSpec& narrow);

/// Whether both are written the same, apart from their positions.
[[nodiscard]] bool same(const config::MatchSpec& a, const config::MatchSpec& b);

}  // namespace patchbay::rules
