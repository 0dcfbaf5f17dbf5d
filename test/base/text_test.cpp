#include "base/text.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <random>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

TEST(Utf8, AcceptsWellFormedTextOnly) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("LAB42"));
  EXPECT_TRUE(is_utf8("Über \xE2\x82\xAC \xF0\x9F\x90\xB9"));
  EXPECT_FALSE(is_utf8("\xC3"));              // Truncated.
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // Overlong slash.
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));      // Overlong slash, three bytes.
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // Surrogate.
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // Beyond U+10FFFF.
  EXPECT_FALSE(is_utf8("\x80"));
}

TEST(Printable, EscapesTerminalControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f\xff€"), "a\\x1b[31m\\x0a\\x7f\\xff€");
  EXPECT_EQ(printable("\xC2\x9B\xE2\x80\xAEgpj.exe"), "\\u009b\\u202egpj.exe");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(TextWidth, CountsCharacters) {
  EXPECT_EQ(text_width(""), 0U);
  EXPECT_EQ(text_width("caf\u00e9"), 4U);
  EXPECT_EQ(text_width("a\xff"), 2U);
  EXPECT_EQ(first_columns("caf\u00e9s", 4), "caf\u00e9");
  EXPECT_EQ(first_columns("abc", 9), "abc");
  EXPECT_EQ(last_columns("caf\u00e9s", 2), "\u00e9s");
  EXPECT_EQ(last_columns("abc", 9), "abc");
}

TEST(NaturalOrder, ComparesRunsOfDigitsAsNumbers) {
  std::vector<std::string> names{
      "eth10", "eth2", "eth", "eth2b", "eth002", "1", "18446744073709551616"};
  std::ranges::sort(names, natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"1", "18446744073709551616", "eth", "eth002", "eth2",
                                             "eth2b", "eth10"}));
  EXPECT_FALSE(natural_less("eth2", "eth2"));
}

/// Random texts, each combined from a few chunks such as numbers and names.
std::vector<std::string> texts_of_pieces(std::mt19937& random, size_t count) {
  const std::vector<std::string> pieces{"0000:1a:00.0",
                                        "0000:19:00.0",
                                        "000c:01:00.1",
                                        "10000:e1:00.0",
                                        "0000:1a:00",
                                        "0000:",
                                        "1000:00:00.",
                                        "1a",
                                        "0",
                                        "00",
                                        "7",
                                        "10",
                                        ":",
                                        ".",
                                        "/",
                                        "a",
                                        "f",
                                        "g",
                                        "usb",
                                        "\xff",
                                        "0000:1A:00.0",
                                        "000:1a:00.0"};
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::string text;
    for (auto left = random() % 5; left > 0; --left) text += pieces[random() % pieces.size()];
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts;
}

TEST(NaturalOrder, IsStrictAndTotal) {
  constexpr size_t kTexts = 150;
  std::mt19937 random(7);  // NOLINT(*-msc51-cpp): the same every time.
  for (int round = 0; round < 10; ++round) {
    const std::vector<std::string> texts = texts_of_pieces(random, kTexts);
    std::array<std::bitset<kTexts>, kTexts> less;
    for (size_t a = 0; a < kTexts; ++a) {
      for (size_t b = 0; b < kTexts; ++b) less.at(a)[b] = natural_less(texts[a], texts[b]);
    }
    for (size_t a = 0; a < kTexts; ++a) {
      EXPECT_FALSE(less.at(a)[a]) << texts[a];
      for (size_t b = 0; b < kTexts; ++b) {
        EXPECT_EQ(less.at(a)[b] == less.at(b)[a], a == b) << texts[a] << ' ' << texts[b];
        if (!less.at(a)[b]) continue;
        // The order is transitive: each text after b is also after a.
        const auto broken = less.at(b) & ~less.at(a);
        EXPECT_TRUE(broken.none())
            << texts[a] << ' ' << texts[b] << ' ' << texts[broken._Find_first() % kTexts];
      }
    }
  }
}

TEST(NearestWord, SuggestsOnlyNearWords) {
  const std::array<std::string_view, 3> keys{"attribute", "subsystem", "name"};
  EXPECT_EQ(nearest_word("atribute", keys), "attribute");
  EXPECT_EQ(nearest_word("nam", keys), "name");
  EXPECT_EQ(nearest_word("ATTRIBUTE", keys), "attribute");
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

TEST(BaseName, IsTheLastComponentOfAPath) {
  EXPECT_EQ(base_name("/dev/tap7"), "tap7");
  EXPECT_EQ(base_name("/dev/"), "dev");
  EXPECT_EQ(base_name("x"), "x");
}

TEST(Join, PutsTheSeparatorBetweenTexts) {
  EXPECT_EQ(join(std::vector<std::string>{"g1", "g2"}, ","), "g1,g2");
  EXPECT_EQ(join(std::vector<std::string>{"", "b"}, ","), ",b");
  EXPECT_EQ(join(std::vector<std::string>{}, ","), "");
}

}  // namespace
}  // namespace patchbay
