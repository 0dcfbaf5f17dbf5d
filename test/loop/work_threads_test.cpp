#include "loop/work_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "fake/run_until.h"

namespace patchbay::loop {
namespace {

using std::chrono_literals::operator""ms;
using fake::kPatience;
using testing::Each;

/// Work that hangs until it is released.
class Gate {
 public:
  [[nodiscard]] Task task() const {
    return [gone = gone_] { gone.wait(); };
  }
  void open() { open_.set_value(); }

 private:
  std::promise<void> open_;
  std::shared_future<void> gone_ = open_.get_future().share();
};

class WorkThreadsTest : public testing::Test {
 protected:
  struct Told {
    Subscription subscription;
    std::optional<WorkOutcome> outcome;
  };
  std::shared_ptr<Told> run(const std::string& name, Milliseconds timeout, Task blocking) {
    auto told = std::make_shared<Told>();
    told->subscription =
        threads->run(name, timeout, std::move(blocking), [told = told.get()](WorkOutcome outcome) {
          EXPECT_FALSE(told->outcome) << "told twice";
          told->outcome = outcome;
        });
    return told;
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }

  UvLoop loop;
  std::unique_ptr<WorkThreads> threads = std::make_unique<WorkThreads>(loop);
};

TEST_F(WorkThreadsTest, RunsInAThreadAndReportsOnTheLoop) {
  std::thread::id worker;
  std::thread::id teller;
  const auto subscription = threads->run(
      "a", kPatience, [&] { worker = std::this_thread::get_id(); },
      [&](WorkOutcome outcome) {
        EXPECT_EQ(outcome, WorkOutcome::done);
        teller = std::this_thread::get_id();
      });
  EXPECT_EQ(teller, std::thread::id()) << "never at once";
  ASSERT_TRUE(until([&] { return teller != std::thread::id(); }));
  EXPECT_EQ(teller, std::this_thread::get_id());
  EXPECT_NE(worker, teller);
}

TEST_F(WorkThreadsTest, RefusesWorkWhoseNameStillHangs) {
  Gate gate;
  const auto hangs = run("nfs", 20ms, gate.task());
  ASSERT_TRUE(until([&] { return hangs->outcome.has_value(); }));
  EXPECT_EQ(hangs->outcome, WorkOutcome::timed_out);
  EXPECT_EQ(threads->hanging(), 1U);
  bool begun = false;
  const auto again = run("nfs", kPatience, [&] { begun = true; });
  const auto other = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return again->outcome && other->outcome; }));
  EXPECT_EQ(again->outcome, WorkOutcome::still_hanging);
  EXPECT_EQ(other->outcome, WorkOutcome::done);
  EXPECT_FALSE(begun);
  gate.open();
  ASSERT_TRUE(until([&] { return threads->hanging() == 0; }));
  const auto after = run("nfs", kPatience, [] {});
  ASSERT_TRUE(until([&] { return after->outcome.has_value(); }));
  EXPECT_EQ(after->outcome, WorkOutcome::done);
}

TEST_F(WorkThreadsTest, ReplacesHungThreads) {
  Gate gate;
  std::vector<std::shared_ptr<Told>> hang;
  for (size_t i = 0; i < 3 * WorkThreads::kThreads; ++i) {
    hang.push_back(run("nfs" + std::to_string(i), 20ms, gate.task()));
  }
  const auto works = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return works->outcome.has_value(); }));
  EXPECT_EQ(works->outcome, WorkOutcome::done);
  gate.open();
  EXPECT_TRUE(until([&] { return threads->hanging() == 0; }));
}

TEST_F(WorkThreadsTest, SlowWorkReleasesItsSlotBeforeTheTimeout) {
  Gate gate;
  std::vector<std::shared_ptr<Told>> slow;
  for (size_t i = 0; i < 3 * WorkThreads::kThreads; ++i) {
    slow.push_back(run("", kPatience, gate.task()));
  }
  const auto works = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return works->outcome.has_value(); }));
  EXPECT_EQ(works->outcome, WorkOutcome::done);
  EXPECT_EQ(threads->hanging(), 0U);
  gate.open();
  EXPECT_TRUE(until([&] {
    return std::ranges::all_of(slow, [](const auto& told) { return told->outcome.has_value(); });
  }));
}

TEST_F(WorkThreadsTest, KeepsOneIdleThread) {
  const auto count = [] {
    return std::ranges::distance(std::filesystem::directory_iterator("/proc/self/task"),
                                 std::filesystem::directory_iterator());
  };
  // The first thread starts one of ThreadSanitizer's.
  const auto first = run("", kPatience, [] {});
  ASSERT_TRUE(until([&] { return first->outcome.has_value(); }));
  const auto with_one = count();
  Gate gate;
  std::vector<std::shared_ptr<Told>> slow;
  for (size_t i = 0; i < 3 * WorkThreads::kThreads; ++i) {
    slow.push_back(run("", kPatience, gate.task()));
  }
  const auto works = run("", kPatience, [] {});
  ASSERT_TRUE(until([&] { return works->outcome.has_value(); }));
  EXPECT_GT(count(), with_one + static_cast<ptrdiff_t>(WorkThreads::kThreads));
  gate.open();
  EXPECT_TRUE(until([&] { return count() <= with_one; }));
}

TEST_F(WorkThreadsTest, RefusesWorkBeyondTheThreadLimit) {
  Gate gate;
  std::vector<std::shared_ptr<Told>> hang;
  for (size_t i = 0; i < WorkThreads::kThreads + WorkThreads::kMaxHung; ++i) {
    hang.push_back(run("nfs" + std::to_string(i), 5ms, gate.task()));
  }
  const auto refused = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return refused->outcome.has_value(); }));
  EXPECT_EQ(refused->outcome, WorkOutcome::no_thread);
  gate.open();
  ASSERT_TRUE(until([&] { return threads->hanging() == 0; }));
  const auto works = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return works->outcome.has_value(); }));
  EXPECT_EQ(works->outcome, WorkOutcome::done);
}

TEST_F(WorkThreadsTest, QueuedWorkDoesNotTimeOut) {
  Gate gate;
  std::vector<std::shared_ptr<Told>> busy;
  for (size_t i = 0; i < WorkThreads::kThreads + WorkThreads::kMaxHung; ++i) {
    busy.push_back(run("", kPatience, gate.task()));
  }
  const auto begun = std::make_shared<std::atomic<bool>>(false);
  const auto waits = run("waits", 30ms, [begun] { *begun = true; });
  const auto later = loop.now() + 90ms;
  ASSERT_TRUE(until([&] { return loop.now() > later; }));
  EXPECT_FALSE(waits->outcome);
  gate.open();
  // It still begins. Its own timeout starts then, and may already be over on a busy machine.
  EXPECT_TRUE(until([&] { return begun->load(); }));
}

TEST_F(WorkThreadsTest, RunsTheRequestedNumberConcurrently) {
  constexpr size_t kWanted = 2 * WorkThreads::kThreads;
  threads = std::make_unique<WorkThreads>(loop, kWanted);
  const auto all = std::make_shared<std::latch>(kWanted);
  std::vector<std::shared_ptr<Told>> tolds;
  for (size_t i = 0; i < kWanted; ++i) {
    tolds.push_back(run("", kPatience, [all] { all->arrive_and_wait(); }));
  }
  EXPECT_TRUE(until([&] {
    return std::ranges::all_of(tolds, [](const auto& told) { return told->outcome.has_value(); });
  }));
}

TEST_F(WorkThreadsTest, ReportsNothingAfterTheSubscriptionEnded) {
  Gate gate;
  const auto given_up = run("a", kPatience, gate.task());
  const auto beside = run("b", kPatience, [] {});
  ASSERT_TRUE(until([&] { return beside->outcome.has_value(); }));
  given_up->subscription.reset();
  gate.open();
  const auto last = run("c", kPatience, [] {});
  ASSERT_TRUE(until([&] { return last->outcome.has_value(); }));
  EXPECT_FALSE(given_up->outcome);
}

TEST_F(WorkThreadsTest, DestructorDoesNotWait) {
  auto gate = std::make_shared<Gate>();
  const auto hangs = run("nfs", kPatience, gate->task());
  const auto beside = run("b", kPatience, [] {});
  ASSERT_TRUE(until([&] { return beside->outcome.has_value(); }));
  threads.reset();
  EXPECT_FALSE(hangs->outcome);
  gate->open();
}

}  // namespace
}  // namespace patchbay::loop
