#include "base/repeat_filter.h"

#include <gtest/gtest.h>

namespace patchbay::log {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RepeatFilterTest : public testing::Test {
 protected:
  /// Logs an equal line `times` times. Returns the number of lines that were written.
  size_t written(size_t times, const std::string& message, const std::string& reason = "x",
                 Level level = Level::info) {
    const Field field{"reason", reason};
    size_t count = 0;
    for (size_t i = 0; i < times; ++i) {
      const bool admitted =
          filter_.admit({.level = level, .message = message, .fields = std::span(&field, 1)}, now_);
      count += admitted ? 1 : 0;
    }
    return count;
  }

  static std::string text_of(const std::vector<RepeatFilter::Repeated>& all) {
    std::string text;
    for (const auto& repeated : all) {
      text += repeated.message;
      for (const auto& [name, value] : repeated.fields) text += " " + name + "=" + value;
      text += "\n";
    }
    return text;
  }

  RepeatFilter filter_;
  RepeatFilter::Time now_{seconds(1000)};
};

TEST_F(RepeatFilterTest, WritesTenLinesPerWindowAndCountsTheRest) {
  EXPECT_EQ(written(25, "lost"), 10U);
  now_ += RepeatFilter::kWindow - milliseconds(1);
  EXPECT_EQ(text_of(filter_.take_expired(now_)), "");
  EXPECT_EQ(written(1, "lost"), 0U);
  now_ += milliseconds(1);
  EXPECT_EQ(text_of(filter_.take_expired(now_)), "lost reason=x repeated=16\n");
  EXPECT_EQ(written(1, "lost"), 1U) << "the next window";
}

TEST_F(RepeatFilterTest, ReportsNothingWhenNoLineWasSuppressed) {
  EXPECT_EQ(written(10, "lost"), 10U);
  EXPECT_EQ(text_of(filter_.take_expired(now_ + RepeatFilter::kWindow)), "");
}

TEST_F(RepeatFilterTest, OnlyEqualLevelMessageAndFieldsCountAsRepeat) {
  EXPECT_EQ(written(10, "lost", "a"), 10U);
  EXPECT_EQ(written(10, "lost", "b"), 10U);
  EXPECT_EQ(written(10, "found", "a"), 10U);
  EXPECT_EQ(written(10, "lost", "a", Level::debug), 10U);
  EXPECT_EQ(written(1, "lost", "a"), 0U);
}

TEST_F(RepeatFilterTest, FieldsAreComparedSeparately) {
  const std::vector<Field> one{{"a", "b"}, {"c", "d"}};
  const std::vector<Field> other{{"a", "b1:c1:d"}};
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(filter_.admit({.message = "m", .fields = one}, now_));
    EXPECT_TRUE(filter_.admit({.message = "m", .fields = other}, now_));
  }
}

TEST_F(RepeatFilterTest, NextLineEndsExpiredWindow) {
  EXPECT_EQ(written(11, "lost"), 10U);
  now_ += RepeatFilter::kWindow;
  EXPECT_EQ(written(11, "lost"), 10U);
  EXPECT_EQ(text_of(filter_.take_expired(now_)), "lost reason=x repeated=1\n");
}

TEST_F(RepeatFilterTest, TakeAllReportsWindowsInOrderOfTheirStart) {
  EXPECT_EQ(written(12, "b"), 10U);
  now_ += seconds(1);
  EXPECT_EQ(written(11, "a"), 10U);
  EXPECT_EQ(text_of(filter_.take_all()), "b reason=x repeated=2\na reason=x repeated=1\n");
  EXPECT_EQ(text_of(filter_.take_all()), "");
}

TEST_F(RepeatFilterTest, ClosesTheOldestWindowWhenThereAreTooMany) {
  EXPECT_EQ(written(11, "first"), 10U);
  for (size_t i = 0; i < RepeatFilter::kMaxWindows; ++i) {
    EXPECT_EQ(written(1, "other" + std::to_string(i)), 1U);
  }
  EXPECT_EQ(text_of(filter_.take_expired(now_)), "first reason=x repeated=1\n");
  EXPECT_EQ(written(1, "first"), 1U);
}

TEST_F(RepeatFilterTest, AlwaysWritesLongLines) {
  EXPECT_EQ(written(20, std::string(RepeatFilter::kMaxRememberedBytes + 1, 'm')), 20U);
}

}  // namespace
}  // namespace patchbay::log
