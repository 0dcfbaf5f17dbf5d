#include "base/duration.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, IsWhatTheConfigurationWouldSay) {
  EXPECT_EQ(duration_text(10min), "10m");
  EXPECT_EQ(duration_text(90min), "1h30m");
  EXPECT_EQ(duration_text(2500ms), "2500ms");
  EXPECT_EQ(duration_text(1h + 5s), "1h5s");
  EXPECT_EQ(duration_text(0ms), "0s");
}

}  // namespace
}  // namespace patchbay
