#pragma once

#include <string_view>

namespace patchbay::render {

/// A file of the status page. The page is static: its script reads /status, /events and
/// /unmatched.
struct PageFile {
  std::string_view path;
  std::string_view type;  ///< The Content-Type of the file.
  std::string_view text;
};

/// Returns the file with this URL path, or null.
[[nodiscard]] const PageFile* page_file(std::string_view path);

/// The Content-Security-Policy of the page. It allows only the page's own script and style.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; img-src data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace patchbay::render
