#include "machine/machine_text.h"

#include <gmock/gmock.h>

namespace patchbay::machine {
namespace {

const std::string kSpecial("a\nb\tc\0d", 7);

TEST(MachineText, EscapesLineBreaksTabsAndNuls) {
  EXPECT_EQ(escaped(kSpecial), R"(a\nb\tc\0d)");
  EXPECT_EQ(unescaped(R"(a\nb\tc\0d)"), kSpecial);
}

TEST(MachineText, KeepsEscapesOfUdev) {
  EXPECT_EQ(escaped(R"(FT232R\x20USB)"), R"(FT232R\x20USB)");
  EXPECT_EQ(unescaped(R"(FT232R\x20USB)"), R"(FT232R\x20USB)");
}

TEST(MachineText, RejectsControlCharactersInValues) {
  EXPECT_TRUE(is_text("a\nb\tc \u00fc"));
  for (const std::string text : {"a\x1b", "a\x7f", "a\xc2\x9b", "a\u2028", "a\xff"}) {
    EXPECT_FALSE(is_text(text)) << text;
  }
}

TEST(MachineText, UnescapesItsOwnEscapes) {
  for (const std::string text : {R"(\n)", R"(\\)", R"(\)", R"(a\)", R"(\x\n\\t)", "\\\n", ""}) {
    EXPECT_EQ(unescaped(escaped(text)), text);
    EXPECT_FALSE(escaped(text).contains('\n'));
  }
}

}  // namespace
}  // namespace patchbay::machine
