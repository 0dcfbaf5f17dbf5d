#include "base/charset.h"

#include <cstdlib>

#include "base/text.h"

namespace patchbay {
namespace {

constexpr std::string_view kEllipsis = "…";

std::string_view locale_name() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "C";
}

/// Whether the locale's charset is UTF-8, from $LC_ALL, else $LC_CTYPE, else $LANG. Uses the
/// environment, because the image has no locales that setlocale() could load.
bool locale_is_utf8() {
  std::string charset;
  for (const char c : locale_name()) {
    if (c == '.') charset.clear();
    if (c == '@') break;
    if (is_alphanumeric(c)) charset += ascii_lower(c);
  }
  return charset == "utf8";
}

}  // namespace

std::string_view ellipsis() { return locale_is_utf8() ? kEllipsis : "..."; }

std::string to_locale(std::string text) {
  const std::string_view instead = ellipsis();
  if (instead == kEllipsis) return text;
  for (size_t at = text.find(kEllipsis); at != std::string::npos; at = text.find(kEllipsis, at)) {
    text.replace(at, kEllipsis.size(), instead);
  }
  return text;
}

}  // namespace patchbay
