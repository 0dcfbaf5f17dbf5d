#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/patience.h"
#include "rpc/grpc_setup.h"

namespace patchbay::rpc {
namespace {

using grpc_event_engine::experimental::EventEngine;

constexpr std::chrono::hours kLater{1};

class GrpcEventEngineTest : public ::testing::Test {
 protected:
  /// Waits until all due tasks have run.
  void pass() {
    std::promise<void> here;
    engine_->Run([&] { here.set_value(); });
    ASSERT_EQ(here.get_future().wait_for(fake::kPatience), std::future_status::ready);
  }

  /// Waits for this number of threads, because a joined thread can be visible for a moment.
  static bool come_to(long threads) {
    return fake::wait_until([&] { return threads_of_tasks() == threads; });
  }
  static long threads_of_tasks() {
    return std::ranges::count_if(std::filesystem::directory_iterator("/proc/self/task"),
                                 [](const auto& thread) {
                                   std::string name;
                                   std::getline(std::ifstream(thread.path() / "comm"), name);
                                   return name == "gRPC tasks";
                                 });
  }

  std::unique_ptr<EventEngine> engine_ = make_event_engine();
};

TEST_F(GrpcEventEngineTest, RunsTasksInOrder) {
  std::vector<int> run;
  for (int task = 0; task < 100; ++task) engine_->Run([&run, task] { run.push_back(task); });
  pass();
  EXPECT_TRUE(std::ranges::equal(run, std::views::iota(0, 100)));
}

TEST_F(GrpcEventEngineTest, WakesItsThreadForEachTask) {
  for (int task = 0; task < 100; ++task) pass();
}

TEST_F(GrpcEventEngineTest, RunsTasksWhenDue) {
  std::promise<void> later;
  engine_->RunAfter(kLater, [] { FAIL() << "an hour too early"; });
  const auto asked = std::chrono::steady_clock::now();
  engine_->RunAfter(std::chrono::milliseconds(20), [&] { later.set_value(); });
  ASSERT_EQ(later.get_future().wait_for(fake::kPatience), std::future_status::ready);
  EXPECT_GE(std::chrono::steady_clock::now() - asked, std::chrono::milliseconds(20));
}

TEST_F(GrpcEventEngineTest, RunsClosures) {
  struct Closure final : EventEngine::Closure {
    void Run() override { run.set_value(); }
    std::promise<void> run;
  } closure;
  engine_->Run(&closure);
  EXPECT_EQ(closure.run.get_future().wait_for(fake::kPatience), std::future_status::ready);
}

TEST_F(GrpcEventEngineTest, CancelsTaskBeforeItRuns) {
  const auto held = std::make_shared<int>();
  const auto later = engine_->RunAfter(kLater, [held] { FAIL() << "it was cancelled"; });
  const auto now = engine_->RunAfter({}, [] {});
  pass();
  EXPECT_TRUE(engine_->Cancel(later));
  EXPECT_EQ(held.use_count(), 1) << "what it holds is let go";
  EXPECT_FALSE(engine_->Cancel(later));
  EXPECT_FALSE(engine_->Cancel(now));
}

TEST_F(GrpcEventEngineTest, TaskMayScheduleTask) {
  std::promise<bool> worker;
  engine_->Run([&] {
    const auto later = engine_->RunAfter(kLater, [] {});
    engine_->Cancel(later);
    engine_->Run([&] { worker.set_value(engine_->IsWorkerThread()); });
  });
  auto answer = worker.get_future();
  ASSERT_EQ(answer.wait_for(fake::kPatience), std::future_status::ready);
  EXPECT_TRUE(answer.get());
  EXPECT_FALSE(engine_->IsWorkerThread());
}

TEST_F(GrpcEventEngineTest, StartsThreadWithTheFirstTask) {
  ASSERT_TRUE(come_to(0));
  const auto held = std::make_shared<int>();
  engine_->RunAfter(kLater, [held] { FAIL() << "an hour too early"; });
  EXPECT_TRUE(come_to(1));
  engine_.reset();
  EXPECT_TRUE(come_to(0));
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(GrpcEventEngineTest, TaskMayOwnTheEngine) {
  std::promise<void> asked;
  std::promise<void> gone;
  EventEngine& engine = *engine_;
  engine.Run([own = std::move(engine_), &asked, &gone]() mutable {
    asked.get_future().wait();
    own.reset();
    gone.set_value();
  });
  asked.set_value();
  EXPECT_EQ(gone.get_future().wait_for(fake::kPatience), std::future_status::ready);
  EXPECT_TRUE(come_to(0));
}

}  // namespace
}  // namespace patchbay::rpc
