#pragma once

#include <string>
#include <string_view>

#include "rules/text_use.h"

/// Hints for texts that cannot be used.
namespace patchbay::rules {

inline constexpr const char* kPathHint =
    "a path begins with '/' and has no '//', '.', '..' nor a '/' at its end: /dev/uart0";
inline constexpr const char* kAttributeHint =
    "it is a path below the device, such as device/vendor; one whole part of it may be '*'";

/// The hint for a text that is wrong as a whole.
[[nodiscard]] std::string text_hint(std::string_view written, TextUse use);
/// The hint for a literal that is wrong at any position in the text.
[[nodiscard]] std::string literal_hint(TextUse use);

/// The hint for an expression that RE2 rejects.
[[nodiscard]] std::string regex_hint(std::string_view regex);

}  // namespace patchbay::rules
