#include "base/log_line.h"

#include <regex>

#include <gtest/gtest.h>

namespace patchbay::log {
namespace {

class LogLineTest : public testing::Test {
 protected:
  static std::string line(Format format, const Entry& entry, bool colored = false) {
    // 2026-01-31T12:34:56.789Z
    const std::chrono::system_clock::time_point at(std::chrono::milliseconds(1769862896789));
    return LineMaker(format, colored).line(entry, at);
  }
  /// The text of the entry without its time, which depends on the time zone.
  static std::string text(const Entry& entry, bool colored = false) {
    static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.789[+-]\d\d:\d\d )");
    const std::string whole = line(Format::text, entry, colored);
    EXPECT_TRUE(std::regex_search(whole, time)) << whole;
    return std::regex_replace(whole, time, "TIME ", std::regex_constants::format_first_only);
  }
};

TEST_F(LogLineTest, TextLineHasLevelMessageAndFields) {
  const std::vector<Field> fields{{"unit", "a"}, {"reason", "it is \"gone\""}, {"was", ""}};
  EXPECT_EQ(text({.level = Level::warning, .message = "lost it", .fields = fields}),
            "TIME warning lost it unit=a reason=\"it is \\\"gone\\\"\" was=\"\"\n");
  EXPECT_EQ(text({.level = Level::info, .message = "x"}), "TIME info    x\n");
  EXPECT_EQ(text({.level = Level::debug, .message = "x"}), "TIME debug   x\n");
  EXPECT_EQ(text({.level = Level::error, .message = "x"}), "TIME error   x\n");
}

TEST_F(LogLineTest, HostileTextStaysOneLine) {
  const Field field{"serial", "a\nb\x1b[31m"};
  EXPECT_EQ(text({.message = "odd\n", .fields = std::span(&field, 1)}),
            "TIME info    odd\\x0a serial=a\\x0ab\\x1b[31m\n");
}

TEST_F(LogLineTest, TerminalLineHasAColouredLevel) {
  EXPECT_EQ(text({.level = Level::error, .message = "x"}, true),
            "TIME \x1b[31m\x1b[1merror  \x1b[m x\n");
  EXPECT_EQ(text({.level = Level::info, .message = "x"}, true), "TIME \x1b[32minfo   \x1b[m x\n");
}

TEST_F(LogLineTest, JsonLineIsOneObject) {
  const std::vector<Field> fields{{"unit", "a\"b\n"}, {"bad", "\xff"}};
  EXPECT_EQ(line(Format::json, {.level = Level::warning, .message = "x", .fields = fields}),
            "{\"time\":\"2026-01-31T12:34:56.789Z\",\"level\":\"warning\",\"message\":\"x\","
            "\"unit\":\"a\\\"b\\n\",\"bad\":\"\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace patchbay::log
