#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "loop/thread_activity.h"

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

  /// The reported changes at this second, each with the thread, its activity and the duration.
  std::string update(int at, const std::vector<ThreadActivity::Sample>& threads) {
    std::string reported;
    for (const auto& change : detector_.update(begin_ + seconds(at), threads)) {
      reported += std::string(change.sample.thread) +
                  (change.stalled ? " stalled in " : " resumed after ") + change.sample.doing +
                  " " + std::to_string(change.lasted.count() / 1000) + "s\n";
    }
    return reported;
  }

  Time begin_{seconds(5000)};
  StallDetector detector_;
};

TEST_F(StallDetectorTest, IdleThreadsAreNoStall) {
  EXPECT_EQ(update(1000, {doing(kLoop, nullptr, 1), doing(kGrpc, nullptr, 2)}), "");
}

TEST_F(StallDetectorTest, ReportsATenSecondStallOnce) {
  EXPECT_EQ(update(103, {doing(kLoop, "a timer", 100)}), "");
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 100)}), "loop stalled in a timer 10s\n");
  EXPECT_EQ(update(120, {doing(kLoop, "a timer", 100)}), "");
}

TEST_F(StallDetectorTest, ReportsTheEndOfAStall) {
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 100)}), "loop stalled in a timer 10s\n");
  EXPECT_EQ(update(120, {doing(kLoop, nullptr, 100)}), "loop resumed after a timer 20s\n");
}

TEST_F(StallDetectorTest, ReportsANewStallRightAfterAnother) {
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 100)}), "loop stalled in a timer 10s\n");
  EXPECT_EQ(update(130, {doing(kLoop, "a signal", 115)}),
            "loop resumed after a timer 30s\nloop stalled in a signal 15s\n");
}

TEST_F(StallDetectorTest, ManyShortActivitiesAreNoStall) {
  for (int at = 100; at < 200; at += 10) {
    EXPECT_EQ(update(at, {doing(kLoop, "a timer", at - 1)}), "");
  }
}

TEST_F(StallDetectorTest, DistinguishesThreads) {
  EXPECT_EQ(update(110, {doing(kLoop, "a timer", 105), doing(kGrpc, "a call", 100)}),
            "gRPC stalled in a call 10s\n");
  EXPECT_EQ(update(115, {doing(kLoop, "a timer", 105), doing(kGrpc, "a call", 100)}),
            "loop stalled in a timer 10s\n");
}

TEST_F(StallDetectorTest, EndedThreadEndsItsStall) {
  EXPECT_EQ(update(110, {doing(kGrpc, "a call", 100)}), "gRPC stalled in a call 10s\n");
  EXPECT_EQ(update(120, {}), "gRPC resumed after a call 20s\n");
}

}  // namespace
}  // namespace patchbay::loop
