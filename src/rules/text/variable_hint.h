#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rules/text/variable.h"

/// Suggestions for unknown variables. They come from one table: a new word needs only a new row.
namespace patchbay::rules {

/// Variables of udev. Case, `-` and `_` are ignored.
struct ForeignVariable {
  std::string_view words;        ///< Words separated by spaces.
  std::string_view replacement;  ///< Text in $(…); the text after the word's dot is kept.
};

[[nodiscard]] std::span<const ForeignVariable> foreign_variables();

/// The equivalent variable, without its parentheses. Empty if none is known.
[[nodiscard]] std::string suggest_variable(std::string_view name);

/// The hint for a text that begins with a '$' without a variable: ${X} as in the shell, or an
/// amount of money.
[[nodiscard]] std::string lone_dollar_hint(std::string_view text);

/// An example for a variable that needs a name: "usb.serial".
[[nodiscard]] std::string example_of(const VariableInfo& variable);

}  // namespace patchbay::rules
