#include "config/diagnostics.h"

#include <string>

#include <gtest/gtest.h>

#include "fake/utf8_locale.h"

namespace patchbay::config {
namespace {

std::shared_ptr<const Source> source(std::string text, std::string name = "a.yaml") {
  return std::make_shared<const Source>(Source{std::move(name), std::move(text)});
}

/// The printed error at a position of a text.
std::string printed(std::string text, int line, int column) {
  Diagnostics diagnostics;
  diagnostics.error({source(std::move(text)), line, column}, "bad");
  return render(diagnostics);
}

TEST(Diagnostics, CountsErrorsOnly) {
  Diagnostics diagnostics;
  diagnostics.warning({source("x"), 1, 1}, "odd");
  EXPECT_TRUE(diagnostics.ok());
  diagnostics.error({source("x"), 1, 1}, "bad");
  EXPECT_FALSE(diagnostics.ok());
  EXPECT_EQ(diagnostics.error_count(), 1U);
  EXPECT_EQ(diagnostics.all().size(), 2U);
}

TEST(Diagnostics, KeepsEqualDiagnosticsOnce) {
  const auto file = source("x");
  Diagnostics diagnostics;
  diagnostics.error({file, 1, 1}, "bad");
  diagnostics.error({file, 1, 1}, "bad");
  EXPECT_EQ(diagnostics.error_count(), 1U);
  diagnostics.error({file, 1, 1}, "worse");
  diagnostics.warning({file, 1, 1}, "bad");
  diagnostics.error({source("x"), 1, 1}, "bad");  // The error is in another file.
  EXPECT_EQ(diagnostics.all().size(), 4U);
}

TEST(DiagnosticsRender, SortsStablyByFileLineAndColumn) {
  const auto a = source("one\ntwo\n", "a.yaml");
  const auto b = source("one\n", "b.yaml");
  Diagnostics diagnostics;
  diagnostics.error({b, 1, 1}, "in b");
  diagnostics.error({a, 2, 3}, "later column");
  diagnostics.error({a, 2, 1}, "first said", "mend it");
  diagnostics.warning({a, 2, 1}, "then said");
  diagnostics.error({a, 0, 0}, "whole file");
  diagnostics.error({}, "of no file");
  EXPECT_EQ(render(diagnostics), R"(error: of no file
a.yaml: error: whole file
a.yaml:2:1: error: first said
    two
    ^
  hint: mend it
a.yaml:2:1: warning: then said
    two
    ^
a.yaml:2:3: error: later column
    two
      ^
b.yaml:1:1: error: in b
    one
    ^
)");
}

TEST(DiagnosticsRender, ColorsOnRequest) {
  Diagnostics diagnostics;
  diagnostics.error({source("x"), 1, 1}, "bad", "mend it");
  EXPECT_EQ(render(diagnostics, true),
            "\x1b[1ma.yaml:1:1: \x1b[0m\x1b[1;31merror\x1b[0m: bad\n"
            "    x\n"
            "    \x1b[1;32m^\x1b[0m\n"
            "  \x1b[36mhint:\x1b[0m mend it\n");
}

TEST(DiagnosticsRender, PutsCaretUnderCharacter) {
  EXPECT_EQ(printed("\ta\tb", 1, 4), "a.yaml:1:4: error: bad\n     a b\n       ^\n");
  EXPECT_EQ(printed("é€x", 1, 6), "a.yaml:1:6: error: bad\n    é€x\n      ^\n");
  EXPECT_EQ(printed("a\x01x", 1, 3), "a.yaml:1:3: error: bad\n    a\\x01x\n         ^\n");
  EXPECT_EQ(printed("a\xffx", 1, 3), "a.yaml:1:3: error: bad\n    a\\xffx\n         ^\n");
  EXPECT_EQ(printed("\u202ex", 1, 4), "a.yaml:1:4: error: bad\n    \\u202ex\n          ^\n");
}

TEST(DiagnosticsRender, PutsCaretAfterShortLine) {
  EXPECT_EQ(printed("ab\r\ncd", 1, 9), "a.yaml:1:9: error: bad\n    ab\n      ^\n");
}

TEST(DiagnosticsRender, OmitsEmptyAndMissingLines) {
  EXPECT_EQ(printed("ab\n   \n", 2, 2), "a.yaml:2:2: error: bad\n");
  EXPECT_EQ(printed("ab\n", 2, 1), "a.yaml:2:1: error: bad\n");
  EXPECT_EQ(printed("ab\n", 7, 1), "a.yaml:7:1: error: bad\n");
  EXPECT_EQ(printed("", 1, 1), "a.yaml:1:1: error: bad\n");
}

TEST(DiagnosticsRender, OmitsCaretWithoutColumn) {
  EXPECT_EQ(printed("ab\n", 1, 0), "a.yaml:1: error: bad\n    ab\n");
}

TEST(DiagnosticsRender, CutsLongLinesAroundCaret) {
  const std::string dots(200, '.');
  EXPECT_EQ(printed("X" + dots, 1, 1),
            "a.yaml:1:1: error: bad\n    X" + std::string(89, '.') + "…\n    ^\n");
  EXPECT_EQ(printed(dots + "X" + dots, 1, 201),
            "a.yaml:1:201: error: bad\n    …" + std::string(45, '.') + "X" + std::string(44, '.') +
                "…\n" + std::string(4 + 1 + 45, ' ') + "^\n");
  EXPECT_EQ(printed(dots + "X", 1, 201), "a.yaml:1:201: error: bad\n    …" + std::string(45, '.') +
                                             "X\n" + std::string(4 + 1 + 45, ' ') + "^\n");
}

TEST(DiagnosticsRender, WithoutUtf8CutsWithDotsAndKeepsCaretColumn) {
  setenv("LC_ALL", "C", 1);
  const std::string out = printed(std::string(200, '.') + "X…Y", 1, 205);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(out, "a.yaml:1:205: error: bad\n    ..." + std::string(41, '.') + "X...Y\n" +
                     std::string(4 + 3 + 45, ' ') + "^\n");
}

TEST(DiagnosticsRender, CutsOneMegabyteLineBetweenCharacters) {
  std::string text;
  while (text.size() < (1U << 20U)) text += "€";
  const std::string out = printed(text, 1, 30'001);
  std::string half;
  for (int i = 0; i < 45; ++i) half += "€";
  EXPECT_EQ(out, "a.yaml:1:30001: error: bad\n    …" + half + half + "…\n" +
                     std::string(4 + 1 + 45, ' ') + "^\n");
}

TEST(DiagnosticsRender, EscapesTerminalControlSequences) {
  Diagnostics diagnostics;
  diagnostics.error({source("x", "a\x1b.yaml"), 0, 0}, "key '\x1b[2J\n\u202e'", "\x07");
  EXPECT_EQ(render(diagnostics), "a\\x1b.yaml: error: key '\\x1b[2J\\x0a\\u202e'\n  hint: \\x07\n");
}

}  // namespace
}  // namespace patchbay::config
