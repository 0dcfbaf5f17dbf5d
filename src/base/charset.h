#pragma once

#include <string>
#include <string_view>

/// Which characters the terminal of the user can show.
namespace patchbay {

/// Whether the locale's charset is UTF-8, from $LC_ALL, else $LC_CTYPE, else $LANG. Uses the
/// environment, because the image has no locales that setlocale() could load.
[[nodiscard]] bool locale_is_utf8();

/// The mark of omitted text: "…", or "..." if the charset is not UTF-8.
[[nodiscard]] std::string_view ellipsis();

/// The text with ellipsis() in place of each "…".
[[nodiscard]] std::string to_locale(std::string text);

}  // namespace patchbay
