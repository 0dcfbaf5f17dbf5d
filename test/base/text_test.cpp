#include "base/text.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

TEST(Utf8, AcceptsWellFormedTextOnly) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("LAB42"));
  EXPECT_TRUE(is_utf8("Über \xE2\x82\xAC \xF0\x9F\x90\xB9"));
  EXPECT_FALSE(is_utf8("\xC3"));              // Cut short.
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // Overlong slash.
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));      // Overlong slash, three bytes.
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // Surrogate.
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // Beyond U+10FFFF.
  EXPECT_FALSE(is_utf8("\x80"));
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f\xff€"), "a\\x1b[31m\\x0a\\x7f\\xff€");
  EXPECT_EQ(printable("\xC2\x9B\xE2\x80\xAEgpj.exe"), "\\u009b\\u202egpj.exe");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(NaturalOrder, ComparesRunsOfDigitsAsNumbers) {
  std::vector<std::string> names{
      "eth10", "eth2", "eth", "eth2b", "eth002", "1", "18446744073709551616"};
  std::ranges::sort(names, natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"1", "18446744073709551616", "eth", "eth002", "eth2",
                                             "eth2b", "eth10"}));
  EXPECT_FALSE(natural_less("eth2", "eth2"));
}

TEST(NearestWord, SuggestsOnlyWhatIsNear) {
  const std::array<std::string_view, 3> keys{"attribute", "subsystem", "name"};
  EXPECT_EQ(nearest_word("atribute", keys), "attribute");
  EXPECT_EQ(nearest_word("nam", keys), "name");
  EXPECT_EQ(nearest_word("zebra", keys), std::nullopt);
}

TEST(StableHash, NeverChanges) {
  EXPECT_EQ(stable_hash_hex("", 16), "cbf29ce484222325");
  EXPECT_EQ(stable_hash_hex("a", 16), "af63dc4c8601ec8c");
  EXPECT_EQ(stable_hash_hex("a", 4), "af63");
}

TEST(TrimEnd, CutsWhiteSpaceAndNuls) {
  EXPECT_EQ(trim_end(std::string_view("up \n\0\0", 6)), "up");
  EXPECT_EQ(trim_end(" \n"), "");
  EXPECT_EQ(trim_end(" a"), " a");
}

TEST(LastPart, IsTheNameInItsDirectory) {
  EXPECT_EQ(last_part("/dev/tap7"), "tap7");
  EXPECT_EQ(last_part("/dev/"), "dev");
  EXPECT_EQ(last_part("x"), "x");
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"g1", "g2"}, ","), "g1,g2");
  EXPECT_EQ(join(std::vector<std::string>{"", "b"}, ","), ",b");
  EXPECT_EQ(join(std::vector<std::string>{}, ","), "");
}

}  // namespace
}  // namespace patchbay
