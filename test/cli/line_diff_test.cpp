#include "cli/commands/line_diff.h"

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

/// A text with one line for each character.
std::string lines(const std::string& characters) {
  std::string text;
  for (const char c : characters) text += std::string(1, c) + "\n";
  return text;
}

/// The second text, by the hunks as `patch` applies them.
std::string patched(const std::string& before, const std::string& diff) {
  std::istringstream old_text(before);
  std::istringstream hunks(diff);
  std::string out;
  std::string line;
  size_t at = 0;
  const auto copy_line = [&] {
    std::string copied;
    std::getline(old_text, copied);
    ++at;
    return copied + "\n";
  };
  while (std::getline(hunks, line)) {
    if (line.starts_with("@@")) {
      const size_t first = std::stoul(line.substr(4));
      const size_t count = std::stoul(line.substr(line.find(',') + 1));
      while (at < (count == 0 ? first : first - 1)) out += copy_line();
    } else if (line.starts_with('+')) {
      out += line.substr(1) + "\n";
    } else {
      const std::string old_line = copy_line();
      EXPECT_EQ(old_line, line.substr(1) + "\n");
      if (line.starts_with(' ')) out += old_line;
    }
  }
  while (old_text.peek() != std::istringstream::traits_type::eof()) out += copy_line();
  return out;
}

TEST(LineDiff, EqualTexts_Empty) {
  EXPECT_EQ(unified_diff("", ""), "");
  EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(unified_diff("a\na\na\n", "a\na\na\n"), "");
}

TEST(LineDiff, ChangedLine_HasThreeLinesOfContext) {
  EXPECT_EQ(unified_diff(lines("abcdefghi"), lines("abcdXfghi")),
            "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n");
}

TEST(LineDiff, ChangesAtBothEnds) {
  EXPECT_EQ(unified_diff(lines("abcdefghi"), lines("Xbcdefgh")),
            "@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n@@ -6,4 +6,3 @@\n f\n g\n h\n-i\n");
}

TEST(LineDiff, EmptyText_RangeHasLineZero) {
  EXPECT_EQ(unified_diff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(unified_diff("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
}

TEST(LineDiff, NearChanges_ShareOneHunk) {
  EXPECT_EQ(unified_diff(lines("a123456b"), lines("A123456B")),
            "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
  EXPECT_EQ(unified_diff(lines("a1234567b"), lines("A1234567B")),
            "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST(LineDiff, RepeatedLines_AlignAtUniqueOnes) {
  EXPECT_EQ(unified_diff("{\n1\n}\n{\n2\n}\n{\n3\n}\n", "{\n1\n}\n{\n3\n}\n"),
            "@@ -2,8 +2,5 @@\n 1\n }\n {\n-2\n-}\n-{\n 3\n }\n");
}

TEST(LineDiff, MovedLine_IsRemovedAndAdded) {
  EXPECT_EQ(unified_diff(lines("abcd"), lines("bcda")), "@@ -1,4 +1,4 @@\n-a\n b\n c\n d\n+a\n");
}

TEST(LineDiff, LastLineWithoutNewLine_IsCompared) {
  EXPECT_EQ(unified_diff("a\nb", "a\nc"), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
}

TEST(LineDiff, RandomTexts_PatchGivesTheSecond) {
  std::mt19937 random(1);
  const auto some_text = [&](size_t kinds) {
    std::string text;
    for (size_t i = random() % 40; i > 0; --i) text += static_cast<char>('a' + random() % kinds);
    return lines(text);
  };
  for (int i = 0; i < 3000; ++i) {
    const size_t kinds = 1 + random() % 26;
    const std::string before = some_text(kinds);
    const std::string after = some_text(kinds);
    EXPECT_EQ(patched(before, unified_diff(before, after)), after) << before << "--\n" << after;
  }
}

TEST(LineDiff, LargeTexts_WithoutUniqueCommonLines) {
  std::string before;
  std::string after;
  for (int i = 0; i < 200'000; ++i) {
    before += "old " + std::to_string(i) + "\n{\n";
    after += "new " + std::to_string(i) + "\n{\n";
  }
  EXPECT_GT(unified_diff(before, after).size(), before.size());
}

}  // namespace
}  // namespace patchbay::cli
