#pragma once

#include <string>
#include <string_view>

/// Adapts output to the charset of the user's locale.
namespace patchbay {

/// Returns the mark of omitted text: "…", or "..." if the charset is not UTF-8.
[[nodiscard]] std::string_view ellipsis();

/// Returns the text with ellipsis() in place of each "…".
[[nodiscard]] std::string to_locale(std::string text);

}  // namespace patchbay
