#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rules/variable.h"

/// What was most likely meant by a variable that there is not. One table: nothing else has to
/// change for a new word.
namespace patchbay::rules {

/// Variables of udev, the shell and other device plugins. Upper and lower case, `-` and `_` make no
/// difference.
struct ForeignVariable {
  std::string_view words;        ///< Blanks between.
  std::string_view replacement;  ///< As in $(…); what follows the word's dot follows it as well.
};

[[nodiscard]] std::span<const ForeignVariable> foreign_variables();

/// What stands between the brackets of the variable that says it; empty if nothing is known of it.
[[nodiscard]] std::string suggest_variable(std::string_view name);

/// Of a text that begins with a '$' that begins no variable: ${X}, as the shell has it, or an
/// amount.
[[nodiscard]] std::string lone_dollar_hint(std::string_view text);

/// What may stand after a variable that needs a name: "usb.serial".
[[nodiscard]] std::string example_of(const VariableInfo& variable);

}  // namespace patchbay::rules
