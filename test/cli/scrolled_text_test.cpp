#include "cli/scrolled_text.h"

#include <gtest/gtest.h>

#include "fake/utf8_locale.h"

namespace patchbay::cli {
namespace {

/// Two tables: lines 0 to 6, and 8 to 9.
constexpr const char* kText = "HEAD\na1\na2\na3\na4\na5\na6\n\nMORE\nb1\n";

/// A screen of five rows: four lines, and their numbers.
class ScrolledTextTest : public testing::Test {
 protected:
  ScrolledTextTest() {
    text_.resize({.columns = 20, .rows = 5});
    text_.set(kText);
  }

  /// The lines on the screen, each with a bar after it.
  [[nodiscard]] std::string shown(bool keys = false) const {
    std::string out = text_.drawing(keys);
    const auto drop = [&](const std::string& what, const std::string& instead = "") {
      for (size_t at = out.find(what); at != std::string::npos; at = out.find(what)) {
        out.replace(at, what.size(), instead);
      }
    };
    EXPECT_TRUE(out.starts_with("\x1b[?7l\x1b[H") && out.ends_with("\x1b[?7h")) << out;
    for (const char* code : {"\x1b[?7l", "\x1b[H", "\x1b[J", "\x1b[?7h"}) drop(code);
    drop("\x1b[K\n", "|");
    return out;
  }
  std::string after(const std::string& keys) {
    EXPECT_TRUE(text_.press(keys));
    return shown();
  }

  ScrolledText text_;
};

TEST_F(ScrolledTextTest, HeadStaysVisible) {
  EXPECT_EQ(shown(), "HEAD|a1|a2|a3|lines 1-4 of 10");
  EXPECT_EQ(after("\x1b[B"), "HEAD|a2|a3|a4|lines 2-5 of 10");
  EXPECT_EQ(after("j"), "HEAD|a3|a4|a5|lines 3-6 of 10");
  EXPECT_EQ(after("k\x1b[A"), "HEAD|a1|a2|a3|lines 1-4 of 10");
}

TEST_F(ScrolledTextTest, ShowsHeadOfVisibleTable) {
  EXPECT_EQ(after("G"), "HEAD||MORE|b1|lines 7-10 of 10");
  EXPECT_EQ(after("g"), "HEAD|a1|a2|a3|lines 1-4 of 10");
  text_.resize({.columns = 20, .rows = 4});
  EXPECT_EQ(after("G"), "|MORE|b1|lines 8-10 of 10");
}

TEST_F(ScrolledTextTest, PagesOverlapByOneLine) {
  EXPECT_EQ(after(" "), "HEAD|a3|a4|a5|lines 3-6 of 10");
  EXPECT_EQ(after("\x1b[6~\x1b[6~\x1b[6~"), "HEAD||MORE|b1|lines 7-10 of 10");
  EXPECT_EQ(after("\x1b[5~"), "HEAD|a5|a6||lines 5-8 of 10");
}

TEST_F(ScrolledTextTest, ShowsWholeTextThatFits) {
  text_.resize({.columns = 20, .rows = 11});
  EXPECT_EQ(after("jjj"), "HEAD|a1|a2|a3|a4|a5|a6||MORE|b1|");
  text_.resize({.columns = 20, .rows = 10});
  EXPECT_EQ(shown(), "HEAD|a1|a2|a3|a4|a5|a6||MORE|lines 1-9 of 10");
}

TEST_F(ScrolledTextTest, ShorterTextIsNotScrolledPastEnd) {
  EXPECT_EQ(after("G"), "HEAD||MORE|b1|lines 7-10 of 10");
  text_.set("HEAD\na1\na2\na3\na4\n");
  EXPECT_EQ(shown(), "HEAD|a2|a3|a4|lines 2-5 of 5");
  text_.set("");
  EXPECT_EQ(shown(), "");
}

TEST_F(ScrolledTextTest, ShowsHowToScroll) {
  EXPECT_EQ(shown(true), "HEAD|a1|a2|a3|lines 1-4 of 10; ar…");
  text_.resize({.columns = 80, .rows = 5});
  EXPECT_EQ(shown(true), "HEAD|a1|a2|a3|lines 1-4 of 10; arrows and Page keys scroll, q ends");
}

TEST_F(ScrolledTextTest, IgnoresOtherKeys) {
  EXPECT_EQ(after("xyz\x1b[C\xff"), "HEAD|a1|a2|a3|lines 1-4 of 10");
  EXPECT_FALSE(text_.press("xq"));
}

TEST_F(ScrolledTextTest, HandlesTinyScreen) {
  for (size_t rows = 1; rows < 4; ++rows) {
    text_.resize({.columns = 1, .rows = rows});
    EXPECT_TRUE(text_.press("jG gk"));
    EXPECT_NE(shown(), "");
  }
}

}  // namespace
}  // namespace patchbay::cli
