#pragma once

#include <optional>
#include <string_view>

#include "rules/advice.h"
#include "rules/variable.h"

namespace patchbay::rules {

/// Whether what would stand in $(…) names a variable that such a rule knows; null: any rule.
[[nodiscard]] bool names_variable(std::string_view text, std::optional<RuleKind> kind);

/// Of an `id` or `by` that is the name of a variable without $(): one text for all devices.
[[nodiscard]] std::optional<Advice> bare_variable(std::string_view key, std::string_view text,
                                                  std::optional<RuleKind> kind);

}  // namespace patchbay::rules
