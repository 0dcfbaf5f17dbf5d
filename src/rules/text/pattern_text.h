#pragma once

#include <string>
#include <string_view>

namespace patchbay::rules {

/// Each hidden byte is replaced by this one, so that offsets stay the same.
inline constexpr char kHidden = '\x01';

/// Returns the text with each byte of every $(…) hidden, including fallbacks.
[[nodiscard]] std::string without_variables(std::string_view text);

/// Returns the glob with these bytes hidden: every $(…), every escaped character with its `\`, and
/// all bytes inside [ ]. The other bytes are literals or wildcards.
[[nodiscard]] std::string without_quoted(std::string_view glob);

}  // namespace patchbay::rules
