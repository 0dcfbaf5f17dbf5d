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

}  // namespace

bool locale_is_utf8() {
  std::string charset;
  for (const char c : locale_name()) {
    if (c == '.') charset.clear();
    if (c == '@') break;
    if (is_alphanumeric(c)) charset += ascii_lower(c);
  }
  return charset == "utf8";
}

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
