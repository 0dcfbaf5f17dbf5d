#include "base/rate_limited_log.h"

#include <gtest/gtest.h>

namespace patchbay::log {
namespace {

TEST(RateLimitedLog, AdmitsOneLinePerSecondAndCountsTheOthers) {
  RateLimitedLog line;
  const RateLimitedLog::Time begin{};
  EXPECT_EQ(line.admit(begin), 0U);
  EXPECT_EQ(line.admit(begin), std::nullopt);
  EXPECT_EQ(line.admit(begin + RateLimitedLog::kPause / 2), std::nullopt);
  EXPECT_EQ(line.admit(begin + RateLimitedLog::kPause), 2U);
  EXPECT_EQ(line.admit(begin + 3 * RateLimitedLog::kPause), 0U);
}

}  // namespace
}  // namespace patchbay::log
