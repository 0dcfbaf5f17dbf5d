#pragma once

#include <string>
#include <string_view>

namespace patchbay::rules {

/// Replaces each hidden byte, so that offsets stay the same.
inline constexpr char kHidden = '\x01';

/// The text with each byte of a $(…) hidden, including fallbacks.
[[nodiscard]] std::string without_variables(std::string_view text);

/// The glob with each byte of a $(…), of an escaped character and inside [ ] hidden. The other
/// bytes are literals or wildcards.
[[nodiscard]] std::string without_quoted(std::string_view glob);

}  // namespace patchbay::rules
