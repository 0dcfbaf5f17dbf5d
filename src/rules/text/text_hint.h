#pragma once

#include <string>
#include <string_view>

#include "rules/text/text_use.h"

/// Hints for texts that cannot be used.
namespace patchbay::rules {

inline constexpr const char* kPathHint =
    "write a path that begins with '/', without '//', '.', '..' or a '/' at its end: /dev/uart0";
inline constexpr const char* kAttributeHint =
    "write a path below the device, for example device/vendor; one whole component can be '*'";

/// The hint for a text that is wrong as a whole.
[[nodiscard]] std::string text_hint(std::string_view written, TextUse use);
/// The hint for a literal that is wrong at any position in the text.
[[nodiscard]] std::string literal_hint(TextUse use);

/// The hint for an expression that RE2 rejects.
[[nodiscard]] std::string regex_hint(std::string_view regex);

/// The hint for Exists, DoesNotExist and words for "absent", which are compared as texts. Empty for
/// any other text.
[[nodiscard]] std::string presence_hint(std::string_view text);

}  // namespace patchbay::rules
