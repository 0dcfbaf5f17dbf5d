#include "base/character_width.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

TEST(TextWidth, CountsColumns) {
  EXPECT_EQ(text_width(""), 0U);
  EXPECT_EQ(text_width("abc"), 3U);
  EXPECT_EQ(text_width("caf\u00e9"), 4U);
  EXPECT_EQ(text_width("cafe\u0301"), 4U);  // A combining accent.
  EXPECT_EQ(text_width("\u6f22\u5b57"), 4U);
  EXPECT_EQ(text_width("a\xff"), 2U);
}

TEST(FirstColumns, NeverCutsACharacter) {
  EXPECT_EQ(first_columns("abc", 2), "ab");
  EXPECT_EQ(first_columns("abc", 9), "abc");
  EXPECT_EQ(first_columns("\u6f22\u5b57", 3), "\u6f22");
  EXPECT_EQ(first_columns("e\u0301x", 1), "e\u0301");
}

TEST(LastColumns, NeverCutsACharacter) {
  EXPECT_EQ(last_columns("abc", 2), "bc");
  EXPECT_EQ(last_columns("abc", 9), "abc");
  EXPECT_EQ(last_columns("\u6f22\u5b57", 3), "\u5b57");
}

}  // namespace
}  // namespace patchbay
