#pragma once

#include <optional>
#include <string_view>

#include "rules/advice.h"

namespace patchbay::rules {

/// Of a regular expression with `^` or `$` at one end only, and nothing that takes any text at the
/// other: its author left the other end open, but whole values are matched.
[[nodiscard]] std::optional<Advice> half_anchored(std::string_view regex);

}  // namespace patchbay::rules
