#pragma once

#include <optional>
#include <string_view>

#include "rules/lint/advice.h"

namespace patchbay::rules {

/// Syntax that a position allows besides plain text.
enum class PlaceholderSyntax {
  none,        ///< No replacement.
  condition,   ///< $(…); a single `$` is a character.
  templating,  ///< $(…); `${` is a mistake reported elsewhere.
  value,       ///< $(…); programs can have their own templates, as docker --format.
};

/// Advice for a `${X}` or `{{ X }}` in a text: other tools replace it, Patchbay does not.
[[nodiscard]] std::optional<Advice> foreign_placeholder(std::string_view text,
                                                        PlaceholderSyntax here);

}  // namespace patchbay::rules
