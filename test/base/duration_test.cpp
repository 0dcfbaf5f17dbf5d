#include "base/duration.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, UsesTheSyntaxOfTheConfiguration) {
  EXPECT_EQ(duration_text(10min), "10m");
  EXPECT_EQ(duration_text(90min), "1h30m");
  EXPECT_EQ(duration_text(2500ms), "2500ms");
  EXPECT_EQ(duration_text(1h + 5s), "1h5s");
  EXPECT_EQ(duration_text(0ms), "0s");
}

TEST(ParseDuration, AcceptsTheSyntaxOfTheConfiguration) {
  EXPECT_EQ(parse_duration("10m"), 10min);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("0s"), 0ms);
  EXPECT_EQ(parse_duration("99999999999s"), std::chrono::milliseconds::max());
  for (const char* text : {"", "10", "m", "-1s", "5s1h", "1.5h", "1 h", "1d"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(AgeText, AgeHasOneUnit) {
  EXPECT_EQ(age_text(0s), "0s");
  EXPECT_EQ(age_text(59'999ms), "59s");
  EXPECT_EQ(age_text(60s), "1m");
  EXPECT_EQ(age_text(119min), "1h");
  EXPECT_EQ(age_text(24h), "1d");
  EXPECT_EQ(age_text(1000h), "41d");
  EXPECT_EQ(age_text(-5s), "0s");
}

}  // namespace
}  // namespace patchbay
