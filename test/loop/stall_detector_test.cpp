#include "loop/stall_detector.h"

#include <gtest/gtest.h>

namespace patchbay::loop {
namespace {

using std::chrono::seconds;

class StallDetectorTest : public testing::Test {
 protected:
  static constexpr pid_t kLoop = 1;
  static constexpr pid_t kGrpc = 2;

  [[nodiscard]] ThreadActivity::Sample doing(pid_t thread, const char* what, int since) const {
    return {.thread = thread == kLoop ? "loop" : "gRPC",
            .id = thread,
            .doing = what,
            .since = begin_ + seconds(since)};
  }

  /// The report in that second, with its thread and duration.
  std::string update(int at, const std::vector<ThreadActivity::Sample>& threads) {
    std::string reported;
    for (const auto& change : standstill_.update(begin_ + seconds(at), threads)) {
      reported += std::string(change.sample.thread) +
                  (change.stalled ? " stands in " : " goes on after ") + change.sample.doing + " " +
                  std::to_string(change.lasted.count() / 1000) + "s\n";
    }
    return reported;
  }
  /// The second of the next check; -1: none.
  [[nodiscard]] long next() const {
    const auto next = standstill_.next();
    return next ? std::chrono::duration_cast<seconds>(*next - begin_).count() : -1;
  }

  Time begin_{seconds(5000)};
  StallDetector standstill_;
};

TEST_F(StallDetectorTest, IdleThreadsNeedNoNextCheck) {
  EXPECT_EQ(update(1000, {doing(kLoop, nullptr, 1), doing(kGrpc, nullptr, 2)}), "");
  EXPECT_EQ(next(), -1);
}

TEST_F(StallDetectorTest, ReportsATenSecondStallOnce) {
  EXPECT_EQ(update(103, {doing(kLoop, "a timer", 100)}), "");
  EXPECT_EQ(next(), 110);
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 100)}), "loop stands in a timer 10s\n");
  EXPECT_EQ(next(), 120);
  EXPECT_EQ(update(120, {doing(kLoop, "a timer", 100)}), "");
}

TEST_F(StallDetectorTest, ReportsTheEndOfAStall) {
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 100)}), "loop stands in a timer 10s\n");
  EXPECT_EQ(update(120, {doing(kLoop, nullptr, 100)}), "loop goes on after a timer 20s\n");
  EXPECT_EQ(next(), -1);
}

TEST_F(StallDetectorTest, ReportsANewStallRightAfterAnother) {
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 100)}), "loop stands in a timer 10s\n");
  EXPECT_EQ(update(130, {doing(kLoop, "a signal", 115)}),
            "loop goes on after a timer 30s\nloop stands in a signal 15s\n");
}

TEST_F(StallDetectorTest, ManyShortActivitiesAreNoStall) {
  for (int at = 100; at < 200; at += 10) {
    EXPECT_EQ(update(at, {doing(kLoop, "a timer", at - 1)}), "");
    EXPECT_EQ(next(), at + 9);
  }
}

TEST_F(StallDetectorTest, DistinguishesThreads) {
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 105), doing(kGrpc, "a call", 100)}),
            "gRPC stands in a call 10s\n");
  EXPECT_EQ(next(), 115);
  EXPECT_EQ(update(115, {doing(kLoop, "a timer", 105), doing(kGrpc, "a call", 100)}),
            "loop stands in a timer 10s\n");
}

TEST_F(StallDetectorTest, EndedThreadEndsItsStall) {
  EXPECT_EQ(update(110, {doing(kGrpc, "a call", 100)}), "gRPC stands in a call 10s\n");
  EXPECT_EQ(update(120, {}), "gRPC goes on after a call 20s\n");
}

}  // namespace
}  // namespace patchbay::loop
