#include "loop/work_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
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

class WorkQueueTest : public testing::Test {
 protected:
  struct Run {
    Subscription subscription;
    std::optional<WorkOutcome> outcome;
  };
  std::shared_ptr<Run> run(const std::string& name, Milliseconds timeout, Task blocking) {
    auto result = std::make_shared<Run>();
    result->subscription = queue->run(name, timeout, std::move(blocking),
                                      [result = result.get()](WorkOutcome outcome) {
                                        EXPECT_FALSE(result->outcome) << "reported twice";
                                        result->outcome = outcome;
                                      });
    return result;
  }
  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }

  UvLoop loop;
  std::unique_ptr<WorkQueue> queue = std::make_unique<WorkQueue>(loop);
};

TEST_F(WorkQueueTest, RunsInAThreadAndReportsOnTheLoop) {
  std::thread::id worker;
  std::thread::id reporter;
  const auto subscription = queue->run(
      "a", kPatience, [&] { worker = std::this_thread::get_id(); },
      [&](WorkOutcome outcome) {
        EXPECT_EQ(outcome, WorkOutcome::done);
        reporter = std::this_thread::get_id();
      });
  EXPECT_EQ(reporter, std::thread::id()) << "never at once";
  ASSERT_TRUE(until([&] { return reporter != std::thread::id(); }));
  EXPECT_EQ(reporter, std::this_thread::get_id());
  EXPECT_NE(worker, reporter);
}

TEST_F(WorkQueueTest, RefusesWorkWhileWorkOfSameNameHangs) {
  Gate gate;
  const auto hangs = run("nfs", 20ms, gate.task());
  ASSERT_TRUE(until([&] { return hangs->outcome.has_value(); }));
  EXPECT_EQ(hangs->outcome, WorkOutcome::timed_out);
  EXPECT_EQ(queue->hanging(), 1U);
  bool begun = false;
  const auto again = run("nfs", kPatience, [&] { begun = true; });
  const auto other = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return again->outcome && other->outcome; }));
  EXPECT_EQ(again->outcome, WorkOutcome::still_hanging);
  EXPECT_EQ(other->outcome, WorkOutcome::done);
  EXPECT_FALSE(begun);
  gate.open();
  ASSERT_TRUE(until([&] { return queue->hanging() == 0; }));
  const auto after = run("nfs", kPatience, [] {});
  ASSERT_TRUE(until([&] { return after->outcome.has_value(); }));
  EXPECT_EQ(after->outcome, WorkOutcome::done);
}

TEST_F(WorkQueueTest, ReplacesHungThreads) {
  Gate gate;
  std::vector<std::shared_ptr<Run>> hang;
  for (size_t i = 0; i < 3 * kMaxConcurrent; ++i) {
    hang.push_back(run("nfs" + std::to_string(i), 20ms, gate.task()));
  }
  const auto works = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return works->outcome.has_value(); }));
  EXPECT_EQ(works->outcome, WorkOutcome::done);
  gate.open();
  EXPECT_TRUE(until([&] { return queue->hanging() == 0; }));
}

TEST_F(WorkQueueTest, SlowWorkReleasesItsSlotBeforeTheTimeout) {
  Gate gate;
  std::vector<std::shared_ptr<Run>> slow;
  for (size_t i = 0; i < 3 * kMaxConcurrent; ++i) {
    slow.push_back(run("", kPatience, gate.task()));
  }
  const auto works = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return works->outcome.has_value(); }));
  EXPECT_EQ(works->outcome, WorkOutcome::done);
  EXPECT_EQ(queue->hanging(), 0U);
  gate.open();
  EXPECT_TRUE(until([&] {
    return std::ranges::all_of(slow,
                               [](const auto& result) { return result->outcome.has_value(); });
  }));
}

TEST_F(WorkQueueTest, HungWorkDelaysNoOtherQueue) {
  Gate gate;
  std::vector<std::shared_ptr<Run>> slow;
  for (size_t i = 0; i < kMaxConcurrent + kMaxHung; ++i) {
    slow.push_back(run("", kPatience, gate.task()));
  }
  WorkQueue other(loop);
  bool done = false;
  const auto subscription = other.run(
      "", kPatience, [] {}, [&](WorkOutcome outcome) { done = outcome == WorkOutcome::done; });
  EXPECT_TRUE(until([&] { return done; }));
  gate.open();
}

TEST_F(WorkQueueTest, WorkWithoutTimeoutIsAwaited) {
  Gate gate;
  bool done = false;
  queue->run_to_end(gate.task(), [&] { done = true; });
  const auto later = loop.now() + 2 * kSlowAfter;
  ASSERT_TRUE(until([&] { return loop.now() > later; }));
  EXPECT_FALSE(done);
  EXPECT_EQ(queue->hanging(), 0U);
  gate.open();
  EXPECT_TRUE(until([&] { return done; }));
}

TEST_F(WorkQueueTest, RefusesWorkBeyondTheThreadLimit) {
  Gate gate;
  std::vector<std::shared_ptr<Run>> hang;
  for (size_t i = 0; i < kMaxConcurrent + kMaxHung; ++i) {
    hang.push_back(run("nfs" + std::to_string(i), 5ms, gate.task()));
  }
  const auto refused = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return refused->outcome.has_value(); }));
  EXPECT_EQ(refused->outcome, WorkOutcome::no_thread);
  gate.open();
  ASSERT_TRUE(until([&] { return queue->hanging() == 0; }));
  const auto works = run("disk", kPatience, [] {});
  ASSERT_TRUE(until([&] { return works->outcome.has_value(); }));
  EXPECT_EQ(works->outcome, WorkOutcome::done);
}

TEST_F(WorkQueueTest, QueuedWorkDoesNotTimeOut) {
  Gate gate;
  std::vector<std::shared_ptr<Run>> busy;
  for (size_t i = 0; i < kMaxConcurrent + kMaxHung; ++i) {
    busy.push_back(run("", kPatience, gate.task()));
  }
  const auto begun = std::make_shared<std::atomic<bool>>(false);
  const auto waits = run("waits", 30ms, [begun] { *begun = true; });
  const auto later = loop.now() + 90ms;
  ASSERT_TRUE(until([&] { return loop.now() > later; }));
  EXPECT_FALSE(waits->outcome);
  gate.open();
  // The queued work still begins. Its timeout starts then, and on a busy machine it may already be
  // over.
  EXPECT_TRUE(until([&] { return begun->load(); }));
}

TEST_F(WorkQueueTest, RunsTheRequestedNumberConcurrently) {
  constexpr size_t kWanted = 2 * kMaxConcurrent;
  queue = std::make_unique<WorkQueue>(loop, kWanted);
  const auto all = std::make_shared<std::latch>(kWanted);
  std::vector<std::shared_ptr<Run>> results;
  for (size_t i = 0; i < kWanted; ++i) {
    results.push_back(run("", kPatience, [all] { all->arrive_and_wait(); }));
  }
  EXPECT_TRUE(until([&] {
    return std::ranges::all_of(results,
                               [](const auto& result) { return result->outcome.has_value(); });
  }));
}

TEST_F(WorkQueueTest, ReportsNothingAfterTheSubscriptionEnded) {
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

TEST_F(WorkQueueTest, DestructorDoesNotWaitForHungWork) {
  auto gate = std::make_shared<Gate>();
  const auto hangs = run("nfs", kPatience, gate->task());
  const auto beside = run("b", kPatience, [] {});
  ASSERT_TRUE(until([&] { return beside->outcome.has_value(); }));
  queue.reset();
  EXPECT_FALSE(hangs->outcome);
  gate->open();
}

}  // namespace
}  // namespace patchbay::loop
