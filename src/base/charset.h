#pragma once

#include <string>
#include <string_view>

/// Which characters the terminal of the user can show.
namespace patchbay {

/// The mark of omitted text: "…", or "..." if the charset is not UTF-8.
[[nodiscard]] std::string_view ellipsis();

/// The text with ellipsis() in place of each "…".
[[nodiscard]] std::string to_locale(std::string text);

}  // namespace patchbay
