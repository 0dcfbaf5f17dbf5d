#include "loop/thread_activity.h"

#include <unistd.h>

#include <algorithm>
#include <latch>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace patchbay::loop {
namespace {

class ThreadActivityTest : public testing::Test {
 protected:
  static std::string doing(const std::string& thread) {
    const auto all = ThreadActivity::sample_all();
    const auto seen = std::ranges::find(all, thread, &ThreadActivity::Sample::thread);
    if (seen == all.end()) return "gone";
    return seen->doing == nullptr ? "waits" : seen->doing;
  }
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

}  // namespace
}  // namespace patchbay::loop
