#pragma once

#include <string>

#include "rules/text/text_use.h"

/// Hints for texts that cannot be used.
namespace patchbay::rules {

inline constexpr const char* kPathHint =
    "write a path that begins with '/', without '//', '.', '..' or a '/' at its end: /dev/uart0";
inline constexpr const char* kRegexHint =
    "the syntax is RE2's, without lookahead and backreferences: "
    "https://github.com/google/re2/wiki/Syntax";
inline constexpr const char* kAttributeHint =
    "write a path below the device, for example device/vendor; one whole component can be '*'";

/// The hint for a text that is wrong as a whole.
[[nodiscard]] std::string text_hint(TextUse use);
/// The hint for a literal that is wrong at any position in the text.
[[nodiscard]] std::string literal_hint(TextUse use);

}  // namespace patchbay::rules
