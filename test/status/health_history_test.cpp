#include "status/health_history.h"

#include <gmock/gmock.h>

namespace patchbay::status {

void PrintTo(const HealthHistory::Span& span, std::ostream* out) {
  *out << word_of(span.state) << " from "
       << std::chrono::duration_cast<std::chrono::minutes>(span.from.time_since_epoch()).count()
       << " min";
}

namespace {

using Was = HealthHistory::State;
using Span = HealthHistory::Span;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr HealthHistory::Time kStart{hours(1000)};

TEST(HealthHistory, IsEmptyBeforeFirstState) {
  EXPECT_THAT(HealthHistory().spans(kStart), IsEmpty());
}

TEST(HealthHistory, MergesEqualIntervals) {
  HealthHistory history;
  history.note(2, 2, kStart + minutes(5));
  EXPECT_THAT(history.spans(kStart + hours(3)),
              ElementsAre(Span{kStart + minutes(5), Was::healthy}));
}

TEST(HealthHistory, IntervalHasItsWorstState) {
  HealthHistory history;
  history.note(2, 2, kStart);
  history.note(2, 0, kStart + minutes(32));
  history.note(2, 1, kStart + minutes(33));
  history.note(2, 2, kStart + minutes(34));
  EXPECT_THAT(history.spans(kStart + minutes(50)),
              ElementsAre(Span{kStart, Was::healthy}, Span{kStart + minutes(30), Was::unhealthy},
                          Span{kStart + minutes(45), Was::healthy}));
}

TEST(HealthHistory, StateLastsUntilNextChange) {
  HealthHistory history;
  history.note(2, 1, kStart);
  history.note(0, 0, kStart + hours(2) + minutes(1));
  EXPECT_THAT(
      history.spans(kStart + hours(4)),
      ElementsAre(Span{kStart, Was::degraded}, Span{kStart + hours(2) + minutes(15), Was::none}));
}

TEST(HealthHistory, KeepsOneDay) {
  HealthHistory history;
  history.note(1, 1, kStart);
  history.note(1, 0, kStart + hours(1));
  history.note(1, 1, kStart + hours(2));
  const auto first = kStart + hours(26) - 95 * HealthHistory::kInterval;
  EXPECT_THAT(history.spans(kStart + hours(26)), ElementsAre(Span{first, Was::healthy}));
  EXPECT_EQ(history.spans(kStart + hours(25)).front().state, Was::unhealthy);
}

TEST(HealthHistory, KeepsLastStateAfterDaysWithoutChange) {
  HealthHistory history;
  history.note(1, 1, kStart);
  history.note(1, 0, kStart + minutes(20));
  history.note(1, 1, kStart + hours(100));
  EXPECT_THAT(
      history.spans(kStart + hours(100)),
      ElementsAre(Span{kStart + hours(100) - 95 * HealthHistory::kInterval, Was::unhealthy}));
  EXPECT_EQ(history.spans(kStart + hours(101)).back().state, Was::healthy);
}

}  // namespace
}  // namespace patchbay::status
