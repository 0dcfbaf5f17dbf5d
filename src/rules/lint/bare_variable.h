#pragma once

#include <optional>
#include <string_view>

#include "rules/lint/advice.h"
#include "rules/text/variable.h"

namespace patchbay::rules {

/// Whether $(text) names a variable that a rule of this kind has. Null: a rule of any kind.
[[nodiscard]] bool names_variable(std::string_view text, std::optional<RuleKind> kind);

/// Advice for an `id` or `by` that is the name of a variable without $(): all devices get the same
/// text.
[[nodiscard]] std::optional<Advice> bare_variable(std::string_view key, std::string_view text,
                                                  std::optional<RuleKind> kind);

}  // namespace patchbay::rules
