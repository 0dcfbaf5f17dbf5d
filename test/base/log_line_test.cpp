#include "base/log_line.h"

#include <gtest/gtest.h>

namespace patchbay::log {
namespace {

class LogLineTest : public testing::Test {
 protected:
  static std::string line(Format format, const Entry& entry, bool colored = false) {
    // 2026-01-31T12:34:56.789Z
    const std::chrono::system_clock::time_point at(std::chrono::milliseconds(1769862896789));
    return line_of(entry, at, format, colored);
  }
  static std::string text(const Entry& entry, bool colored = false) {
    return line(Format::text, entry, colored);
  }
};

TEST_F(LogLineTest, TextLineHasLevelMessageAndFields) {
  const std::vector<Field> fields{{"unit", "a"}, {"reason", "it is \"gone\""}, {"was", ""}};
  EXPECT_EQ(
      text({.level = Level::warning, .message = "lost it", .fields = fields}),
      "2026-01-31T12:34:56.789Z warning lost it unit=a reason=\"it is \\\"gone\\\"\" was=\"\"\n");
  EXPECT_EQ(text({.level = Level::info, .message = "x"}), "2026-01-31T12:34:56.789Z info    x\n");
  EXPECT_EQ(text({.level = Level::debug, .message = "x"}), "2026-01-31T12:34:56.789Z debug   x\n");
  EXPECT_EQ(text({.level = Level::error, .message = "x"}), "2026-01-31T12:34:56.789Z error   x\n");
}

TEST_F(LogLineTest, HostileTextStaysOneLine) {
  const Field field{"serial", "a\nb\x1b[31m"};
  EXPECT_EQ(text({.message = "odd\n", .fields = std::span(&field, 1)}),
            "2026-01-31T12:34:56.789Z info    odd\\x0a serial=a\\x0ab\\x1b[31m\n");
}

TEST_F(LogLineTest, TerminalLineHasAColouredLevel) {
  EXPECT_EQ(text({.level = Level::error, .message = "x"}, true),
            "2026-01-31T12:34:56.789Z \x1b[31m\x1b[1merror  \x1b[m x\n");
  EXPECT_EQ(text({.level = Level::info, .message = "x"}, true),
            "2026-01-31T12:34:56.789Z \x1b[32minfo   \x1b[m x\n");
}

TEST_F(LogLineTest, JsonLineIsOneObject) {
  const std::vector<Field> fields{{"unit", "a\"b\n"}, {"bad", "\xff"}};
  EXPECT_EQ(line(Format::json, {.level = Level::warning, .message = "x", .fields = fields}),
            "{\"time\":\"2026-01-31T12:34:56.789Z\",\"level\":\"warning\",\"message\":\"x\","
            "\"unit\":\"a\\\"b\\n\",\"bad\":\"\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace patchbay::log
