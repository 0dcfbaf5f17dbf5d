#include "base/rare_line.h"

#include <gtest/gtest.h>

namespace patchbay::log {
namespace {

TEST(RareLine, IsWrittenOnceASecondWithHowManyThereWere) {
  RareLine line;
  const RareLine::Time begin{};
  EXPECT_EQ(line.admit(begin), 0U);
  EXPECT_EQ(line.admit(begin), std::nullopt);
  EXPECT_EQ(line.admit(begin + RareLine::kPause / 2), std::nullopt);
  EXPECT_EQ(line.admit(begin + RareLine::kPause), 2U);
  EXPECT_EQ(line.admit(begin + 3 * RareLine::kPause), 0U);
}

}  // namespace
}  // namespace patchbay::log
