#include "cli/options/option_values.h"

#include <array>

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

TEST(OptionValues, ParsesNumbers) {
  EXPECT_EQ(parse_number("1", 1, 86'400).value(), 1);
  EXPECT_EQ(parse_number("86400", 1, 86'400).value(), 86'400);
  EXPECT_EQ(parse_number("007", 1, 10).value(), 7);
  for (const std::string text :
       {"", "0", "86401", "-1", "+1", "1.5", "1e3", "0x10", " 1", "1 ", "18446744073709551617"}) {
    EXPECT_EQ(parse_number(text, 1, 86'400).error().message,
              "takes a number from 1 to 86400, not '" + text + "'");
  }
}

TEST(OptionValues, ParsesSizes) {
  EXPECT_EQ(parse_size("4096").value(), 4096U);
  EXPECT_EQ(parse_size("64KiB").value(), 65'536U);
  EXPECT_EQ(parse_size("8MiB").value(), 8'388'608U);
  EXPECT_EQ(parse_size("1GiB").value(), 1'073'741'824U);
  for (const std::string text :
       {"", "KiB", "4095", "2GiB", "1025MiB", "64kb", "64K", "-1", "8 MiB", "0",
        "99999999999999GiB", "17179869184GiB", "99999999999999999999"}) {
    EXPECT_EQ(parse_size(text).error().message,
              "takes a size from 4KiB to 1GiB such as 64KiB or 8MiB, not '" + text + "'");
  }
}

TEST(OptionValues, ParsesChoices) {
  constexpr std::array<std::string_view, 3> kWords{"a", "b", "c"};
  EXPECT_EQ(parse_choice("a", kWords).value(), 0U);
  EXPECT_EQ(parse_choice("c", kWords).value(), 2U);
  EXPECT_EQ(parse_choice("A", kWords).error().message, "takes a, b or c, not 'A'");
  EXPECT_EQ(parse_choice("\n", kWords).error().message, "takes a, b or c, not '\\x0a'");
}

TEST(OptionValues, ParsesPaths) {
  EXPECT_EQ(parse_path("a b").value(), "a b");
  EXPECT_EQ(parse_path("./-x").value(), "./-x");
  EXPECT_EQ(parse_path("").error().message, "takes a path, not ''");
  EXPECT_EQ(parse_path("--watch").error().message, "takes a path, not '--watch'");
}

TEST(OptionValues, ParsesNodeNames) {
  for (const std::string text : {"bench-1", "bench-1.example.com", "(none)", "FOO_bar"}) {
    EXPECT_EQ(parse_node_name(text).value(), text);
  }
  EXPECT_EQ(parse_node_name(std::string(253, 'n')).value().size(), 253U);
  for (const std::string& text :
       {std::string(), std::string(254, 'n'), std::string("a b"), std::string("a/b"),
        std::string("-n"), std::string("\xc3\xa9"), std::string("a\0b", 3), std::string("\x7f")}) {
    EXPECT_FALSE(parse_node_name(text)) << text;
  }
}

TEST(PeriodValue, ParsesDurationOrSeconds) {
  using std::chrono::milliseconds;
  EXPECT_EQ(parse_period("10m").value(), std::chrono::minutes(10));
  EXPECT_EQ(parse_period("1h30m").value(), std::chrono::minutes(90));
  EXPECT_EQ(parse_period("300").value(), std::chrono::minutes(5));
  EXPECT_EQ(parse_period("0s").value(), milliseconds(0));
  EXPECT_EQ(parse_period("0").value(), milliseconds(0));
  EXPECT_EQ(parse_period("24h").value(), std::chrono::hours(24));
  for (const char* text : {"", "5 m", "999ms", "25h", "86401", "-1", "1d", "99999999999h"}) {
    ASSERT_FALSE(parse_period(text)) << text;
    EXPECT_EQ(parse_period(text).error().message,
              std::string("takes a duration from 1s to 24h such as 5m, or 0s for never, not '") +
                  text + "'");
  }
}

}  // namespace
}  // namespace patchbay::cli
