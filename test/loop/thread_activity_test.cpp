#include "loop/thread_activity.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace patchbay::loop {
namespace {

class ThreadActivityTest : public testing::Test {
 protected:
  ~ThreadActivityTest() override { ThreadActivity::disarm_wake_timer(); }

  static std::string doing(const std::string& thread) {
    const auto all = ThreadActivity::sample_all();
    const auto seen = std::ranges::find(all, thread, &ThreadActivity::Sample::thread);
    if (seen == all.end()) return "gone";
    return seen->doing == nullptr ? "waits" : seen->doing;
  }

  [[nodiscard]] bool timer_is_set() const {
    itimerspec left{};
    timerfd_gettime(timer_.get(), &left);
    return left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0;
  }

  UniqueFd timer_{timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
};

TEST_F(ThreadActivityTest, ReportsTheActivityOfAThread) {
  {
    ThreadActivity activity("mine");
    EXPECT_EQ(doing("mine"), "waits");
    {
      const ThreadActivity::ScopedActivity end(activity, "its end");
      EXPECT_EQ(doing("mine"), "its end");
      {
        const ThreadActivity::ScopedActivity timer(activity, "a timer");
        EXPECT_EQ(doing("mine"), "a timer");
      }
      EXPECT_EQ(doing("mine"), "its end");
    }
    EXPECT_EQ(doing("mine"), "waits");
  }
  EXPECT_EQ(doing("mine"), "gone");
}

TEST_F(ThreadActivityTest, EachScopeStartsANewActivity) {
  ThreadActivity activity("mine");
  const ThreadActivity::ScopedActivity outer(activity, "its end");
  const Time before = ThreadActivity::sample_all().front().since;
  const ThreadActivity::ScopedActivity inner(activity, "a timer");
  EXPECT_GT(ThreadActivity::sample_all().front().since, before);
}

TEST_F(ThreadActivityTest, SamplesOtherThreads) {
  std::latch begun(1);
  std::latch may_end(1);
  pid_t id = 0;
  std::thread other([&] {
    ThreadActivity activity("other");
    id = gettid();
    const ThreadActivity::ScopedActivity scope(activity, "a call");
    begun.count_down();
    may_end.wait();
  });
  begun.wait();
  EXPECT_EQ(doing("other"), "a call");
  EXPECT_EQ(ThreadActivity::sample_all().front().id, id);
  may_end.count_down();
  other.join();
}

TEST_F(ThreadActivityTest, NextActivityArmsTheWakeTimer) {
  ThreadActivity activity("mine");
  { const ThreadActivity::ScopedActivity scope(activity, "a timer"); }
  ThreadActivity::arm_wake_timer(timer_.get());
  EXPECT_FALSE(timer_is_set()) << "nothing has been begun since";
  { const ThreadActivity::ScopedActivity scope(activity, "a timer"); }
  EXPECT_TRUE(timer_is_set());
}

TEST_F(ThreadActivityTest, WakeTimerIsArmedOnce) {
  ThreadActivity activity("mine");
  ThreadActivity::arm_wake_timer(timer_.get());
  { const ThreadActivity::ScopedActivity scope(activity, "a timer"); }
  const itimerspec none{};
  timerfd_settime(timer_.get(), 0, &none, nullptr);
  { const ThreadActivity::ScopedActivity scope(activity, "a timer"); }
  EXPECT_FALSE(timer_is_set()) << "a mark costs no call of the kernel";
}

}  // namespace
}  // namespace patchbay::loop
