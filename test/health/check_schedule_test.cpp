#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "health/repeated_check.h"

namespace patchbay::health {
namespace {

using namespace std::chrono_literals;
using loop::Time;

constexpr Time kNow{1000123us};

TEST(CheckSchedule, NextRunIsAboutAPeriodLater) {
  for (const loop::Milliseconds period : {100ms, 999ms, 10'000ms, 86'400'000ms}) {
    for (const double random : {0.0, 0.25, 0.5, 0.75, 0.999}) {
      const auto delay = next_run(kNow, kNow, period, random) - kNow;
      EXPECT_GE(delay, period - period / 8 - 1ms) << period.count() << " " << random;
      EXPECT_LE(delay, period + period / 8 + 1ms) << period.count() << " " << random;
    }
  }
}

TEST(CheckSchedule, LongRunDelaysNextRun) {
  const Time ended = kNow + 25s;
  const auto delay = next_run(kNow, ended, 10s, 0.5) - ended;
  EXPECT_GE(delay, 8s);
  EXPECT_LE(delay, 12s);
  // A run that is shorter than the period does not delay the next one.
  EXPECT_LE(next_run(kNow, kNow + 3s, 10s, 0.5), kNow + 11250ms);
}

TEST(CheckSchedule, ManyChecksShareFewWakeUps) {
  std::set<Time> wake_ups;
  for (int i = 0; i < 1000; ++i) {
    wake_ups.insert(next_run(kNow + i * 10ms, kNow + i * 10ms, 10s, i % 7 / 7.0));
  }
  EXPECT_LE(wake_ups.size(), 13U);
  // All wake-ups are on a grid of 1.024 s, so checks with shorter periods share them.
  for (int i = 0; i < 10; ++i) {
    const Time due = *std::next(wake_ups.begin(), i);
    EXPECT_EQ(due.time_since_epoch() % 1024ms, 0ms);
  }
}

TEST(CheckSchedule, ReturnsTheTimeUntilDue) {
  EXPECT_EQ(time_until(kNow + 1500us, kNow), 2ms);
  EXPECT_EQ(time_until(kNow - 5ms, kNow), 0ms);
}

}  // namespace
}  // namespace patchbay::health
