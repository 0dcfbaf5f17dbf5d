#include "base/charset.h"

#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

/// A text as printed with these values of LC_ALL, LC_CTYPE and LANG. Null unsets the variable.
std::string shown_with(const char* all, const char* ctype, const char* lang) {
  const auto set = [](const char* name, const char* value) {
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  };
  set("LC_ALL", all);
  set("LC_CTYPE", ctype);
  set("LANG", lang);
  const std::string shown = to_locale("a… …b");
  set("LC_ALL", "C.UTF-8");
  return shown;
}

TEST(Charset, UsesTheFirstLocaleVariableThatIsSet) {
  EXPECT_EQ(shown_with("C", "C.UTF-8", "C.UTF-8"), "a... ...b");
  EXPECT_EQ(shown_with("", "de_DE.utf8@euro", "C"), "a… …b");
  EXPECT_EQ(shown_with(nullptr, nullptr, "en_US.UTF-8"), "a… …b");
  EXPECT_EQ(shown_with(nullptr, nullptr, "en_US"), "a... ...b");
  EXPECT_EQ(shown_with(nullptr, nullptr, "de_DE.ISO-8859-1"), "a... ...b");
  EXPECT_EQ(shown_with(nullptr, nullptr, nullptr), "a... ...b");
}

}  // namespace
}  // namespace patchbay
