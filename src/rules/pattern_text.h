#pragma once

#include <string>
#include <string_view>

namespace patchbay::rules {

/// What stands for a byte that is not looked at.
inline constexpr char kHidden = '\x01';

/// The text with each byte of a $(…) hidden, fallbacks included.
[[nodiscard]] std::string without_variables(std::string_view text);

/// The glob with each byte of a $(…), of an escaped character and inside of [ ] hidden: what is
/// left stands for itself or is a wildcard.
[[nodiscard]] std::string without_quoted(std::string_view glob);

}  // namespace patchbay::rules
