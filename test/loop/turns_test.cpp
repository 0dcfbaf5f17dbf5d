#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "loop/thread_activity.h"

namespace patchbay::loop {
namespace {

class TurnsTest : public testing::Test {
 protected:
  ~TurnsTest() override { ThreadActivity::disarm_wake_timer(); }

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

TEST_F(TurnsTest, SaysWhatAThreadDoes) {
  {
    ThreadActivity turns("mine");
    EXPECT_EQ(doing("mine"), "waits");
    {
      const ThreadActivity::ScopedActivity end(turns, "its end");
      EXPECT_EQ(doing("mine"), "its end");
      {
        const ThreadActivity::ScopedActivity timer(turns, "a timer");
        EXPECT_EQ(doing("mine"), "a timer");
      }
      EXPECT_EQ(doing("mine"), "its end");
    }
    EXPECT_EQ(doing("mine"), "waits");
  }
  EXPECT_EQ(doing("mine"), "gone");
}

TEST_F(TurnsTest, EachThingThatIsBegunIsANewOne) {
  ThreadActivity turns("mine");
  const ThreadActivity::ScopedActivity outer(turns, "its end");
  const Time before = ThreadActivity::sample_all().front().since;
  const ThreadActivity::ScopedActivity inner(turns, "a timer");
  EXPECT_GT(ThreadActivity::sample_all().front().since, before);
}

TEST_F(TurnsTest, AnotherThreadIsSeen) {
  std::latch begun(1);
  std::latch may_end(1);
  pid_t id = 0;
  std::thread other([&] {
    ThreadActivity turns("other");
    id = gettid();
    const ThreadActivity::ScopedActivity turn(turns, "a call");
    begun.count_down();
    may_end.wait();
  });
  begun.wait();
  EXPECT_EQ(doing("other"), "a call");
  EXPECT_EQ(ThreadActivity::sample_all().front().id, id);
  may_end.count_down();
  other.join();
}

TEST_F(TurnsTest, WhoSleepsIsWokenByWhatIsBegunNext) {
  ThreadActivity turns("mine");
  { const ThreadActivity::ScopedActivity turn(turns, "a timer"); }
  ThreadActivity::arm_wake_timer(timer_.get());
  EXPECT_FALSE(timer_is_set()) << "nothing has been begun since";
  { const ThreadActivity::ScopedActivity turn(turns, "a timer"); }
  EXPECT_TRUE(timer_is_set());
}

TEST_F(TurnsTest, WhoSleepsIsWokenOnce) {
  ThreadActivity turns("mine");
  ThreadActivity::arm_wake_timer(timer_.get());
  { const ThreadActivity::ScopedActivity turn(turns, "a timer"); }
  const itimerspec none{};
  timerfd_settime(timer_.get(), 0, &none, nullptr);
  { const ThreadActivity::ScopedActivity turn(turns, "a timer"); }
  EXPECT_FALSE(timer_is_set()) << "a mark costs no call of the kernel";
}

}  // namespace
}  // namespace patchbay::loop
