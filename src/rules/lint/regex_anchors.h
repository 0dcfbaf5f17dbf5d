#pragma once

#include <optional>
#include <string_view>

#include "rules/lint/advice.h"

namespace patchbay::rules {

/// Advice for a regular expression with `^` or `$` at one end only, and without any-text at the
/// other end. The author left the other end open, but whole values are matched.
[[nodiscard]] std::optional<Advice> half_anchored(std::string_view regex);

}  // namespace patchbay::rules
