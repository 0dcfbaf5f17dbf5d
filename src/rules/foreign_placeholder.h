#pragma once

#include <optional>
#include <string_view>

#include "rules/advice.h"

namespace patchbay::rules {

/// What can stand at a place beside plain text.
enum class PlaceholderSyntax {
  none,        ///< Nothing is replaced there.
  condition,   ///< $(…), and a `$` by itself is a character.
  templating,  ///< $(…); `${` is a mistake, and not looked for.
  value,       ///< The same; and programs have templates of their own, as docker --format.
};

/// Of a `${X}` or `{{ X }}` in a text, which other tools replace, and nothing here does.
[[nodiscard]] std::optional<Advice> foreign_placeholder(std::string_view text,
                                                        PlaceholderSyntax here);

}  // namespace patchbay::rules
