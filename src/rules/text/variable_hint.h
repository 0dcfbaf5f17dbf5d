#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rules/text/variable.h"

/// Suggests variables for unknown ones. All suggestions are in one table: to add a word, add a row.
namespace patchbay::rules {

/// Words of udev and other programs, and our variable for them. Case, `-` and `_` are ignored.
struct ForeignVariable {
  std::string_view words;        ///< Separated by spaces.
  std::string_view replacement;  ///< The text in $(…). The `.NAME` of `env.NAME` is kept.
};

[[nodiscard]] std::span<const ForeignVariable> foreign_variables();

/// Returns the equivalent variable, without its parentheses. Empty if none is known.
[[nodiscard]] std::string suggest_variable(std::string_view name);

/// Returns the hint for a text that begins with a '$' but not with $(…): ${X} as in the shell, or
/// an amount of money.
[[nodiscard]] std::string lone_dollar_hint(std::string_view text);

/// Returns an example for a variable that needs an argument, such as "usb.serial".
[[nodiscard]] std::string example_of(const VariableInfo& variable);

}  // namespace patchbay::rules
