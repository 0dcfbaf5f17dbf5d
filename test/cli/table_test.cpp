#include "cli/terminal/table.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "fake/utf8_locale.h"

namespace patchbay::cli {
namespace {

TEST(TableText, ColumnsAreAligned) {
  EXPECT_EQ(format_table({{"RESOURCE", "UNIT", "STATE"},
                          {"example.com/a", "x", "healthy"},
                          {"b", "a long one", "unhealthy"}}),
            "RESOURCE       UNIT        STATE\n"
            "example.com/a  x           healthy\n"
            "b              a long one  unhealthy\n");
}

TEST(TableText, LinesHaveNoTrailingSpaces) {
  EXPECT_EQ(format_table({{"A", "B", "C"}, {"x", "", ""}, {"", "y", ""}}), "A  B  C\nx\n   y\n");
  EXPECT_EQ(format_table({{""}}), "\n");
}

TEST(TableText, AcceptsRowsOfDifferentLength) {
  EXPECT_EQ(format_table({{"A"}, {"long", "B"}, {}}), "A\nlong  B\n\n");
  EXPECT_EQ(format_table({}), "");
}

TEST(TableText, CountsCharacters) {
  EXPECT_EQ(format_table({{"caf\xc3\xa9", "x"}, {"cafes", "y"}}), "caf\xc3\xa9   x\ncafes  y\n");
}

/// A table of `discover`.
Table units() {
  return {.columns = {{.title = "RESOURCE", .min_width = 8, .keeps_end = true},
                      {.title = "STATE"},
                      {.title = "FROM", .droppable = true},
                      {.title = "REASON", .min_width = 8}},
          .rows = {{"example.com/serial", Cell("healthy", Style::good), "id", ""},
                   {"example.com/a", Cell("unhealthy", Style::bad), "by", "net/carrier is \"0\""},
                   {"example.com/none", Cell("no device matches", Style::warning)}}};
}

TEST(ColumnLayout, SpanningCellWidensNoColumn) {
  EXPECT_EQ(format_table(units(), {}),
            "RESOURCE            STATE      FROM  REASON\n"
            "example.com/serial  healthy    id\n"
            "example.com/a       unhealthy  by    net/carrier is \"0\"\n"
            "example.com/none    no device matches\n");
}

TEST(ColumnLayout, DropsDroppableColumnsFirst) {
  EXPECT_EQ(format_table(units(), {.width = 51}),
            "RESOURCE            STATE      REASON\n"
            "example.com/serial  healthy\n"
            "example.com/a       unhealthy  net/carrier is \"0\"\n"
            "example.com/none    no device matches\n");
}

TEST(ColumnLayout, CutsWidestColumnsAfterDroppingColumns) {
  EXPECT_EQ(format_table(units(), {.width = 40}),
            "RESOURCE        STATE      REASON\n"
            "…le.com/serial  healthy\n"
            "example.com/a   unhealthy  net/carrier …\n"
            "…mple.com/none  no device matches\n");
}

TEST(ColumnLayout, CutsLinesWhenNoColumnCanShrink) {
  EXPECT_EQ(format_table(units(), {.width = 14}),
            "RESOURCE  STA…\n"
            "…/serial  hea…\n"
            "…e.com/a  unh…\n"
            "…om/none  no …\n");
}

TEST(ColumnLayout, NoLineIsLongerThanTheTerminal) {
  for (size_t width = 1; width < 60; ++width) {
    const std::string text = format_table(units(), {.width = width});
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      // An ellipsis has three bytes.
      const auto more = static_cast<size_t>(std::ranges::count(line, '\xe2')) * 2;
      EXPECT_LE(line.size() - more, width) << line;
    }
  }
}

TEST(ColumnLayout, CountsCharactersNotBytes) {
  const Table table{.columns = {{.title = "A", .min_width = 3}, {.title = "B"}},
                    .rows = {{"\u00e9\u00e9\u00e9\u00e9", "x"}}};
  EXPECT_EQ(format_table(table, {}), "A     B\n\u00e9\u00e9\u00e9\u00e9  x\n");
  EXPECT_EQ(format_table(table, {.width = 6}), "A    B\n\u00e9\u00e9…  x\n");
}

TEST(ColumnLayout, CutsWithThreeDotsWithoutUtf8) {
  setenv("LC_ALL", "C", 1);
  const std::string text = format_table(units(), {.width = 40});
  const std::string narrow = shortened("abcdef", 2);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(text.find("…"), std::string::npos) << text;
  EXPECT_NE(text.find("...\n"), std::string::npos) << text;
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 40U) << line;
  EXPECT_EQ(narrow, "..");
}

TEST(ColumnLayout, ColoursDoNotCountAsWidth) {
  EXPECT_EQ(format_table(units(), {.width = 0, .color = true}),
            "\x1b[1mRESOURCE\x1b[0m            \x1b[1mSTATE\x1b[0m      \x1b[1mFROM\x1b[0m  "
            "\x1b[1mREASON\x1b[0m\n"
            "example.com/serial  \x1b[32mhealthy\x1b[0m    id\n"
            "example.com/a       \x1b[1;31munhealthy\x1b[0m  by    net/carrier is \"0\"\n"
            "example.com/none    \x1b[1;35mno device matches\x1b[0m\n");
}

}  // namespace
}  // namespace patchbay::cli
