#include "loop/executor.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/patience.h"

namespace patchbay::loop {
namespace {

ptrdiff_t threads_of_process() {
  return std::ranges::distance(std::filesystem::directory_iterator("/proc/self/task"),
                               std::filesystem::directory_iterator());
}

/// Starts work that waits for `go`, and returns the future of its thread's id.
std::future<std::thread::id> start_waiting(Executor& executor, std::shared_future<void> go) {
  const auto promise = std::make_shared<std::promise<std::thread::id>>();
  Task task = [promise, go = std::move(go)] {
    go.wait();
    promise->set_value(std::this_thread::get_id());
  };
  EXPECT_TRUE(executor.start(task));
  return promise->get_future();
}

TEST(Executor, HungWorkDelaysNoOtherWork) {
  Executor executor;
  std::promise<void> gate;
  const auto go = gate.get_future().share();
  std::vector<std::future<std::thread::id>> hung;
  for (int i = 0; i < 10; ++i) hung.push_back(start_waiting(executor, go));
  EXPECT_TRUE(executor.run([] {}, fake::kPatience));
  gate.set_value();
  for (auto& id : hung) EXPECT_NE(id.get(), std::this_thread::get_id());
}

TEST(Executor, CopiesShareTheIdleThread) {
  Executor executor;
  const auto thread_of_next_work = [](Executor copy) {
    const auto id = std::make_shared<std::optional<std::thread::id>>();
    EXPECT_TRUE(copy.run([id] { *id = std::this_thread::get_id(); }, fake::kPatience));
    return **id;
  };
  const auto first = thread_of_next_work(executor);
  // run() returns before the thread is idle, so another thread may do the next work.
  EXPECT_TRUE(fake::wait_until([&] { return thread_of_next_work(executor) == first; }));
}

TEST(Executor, AtMostOneIdleThreadStays) {
  // Starts one thread first, because ThreadSanitizer then starts one of its own.
  Executor executor;
  ASSERT_TRUE(executor.run([] {}, fake::kPatience));
  const auto with_one = threads_of_process();
  std::promise<void> gate;
  const auto go = gate.get_future().share();
  const auto begun = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < 10; ++i) {
    Task task = [begun, go] {
      ++*begun;
      go.wait();
    };
    ASSERT_TRUE(executor.start(task));
  }
  EXPECT_TRUE(fake::wait_until([&] { return *begun == 10; }));
  gate.set_value();
  EXPECT_TRUE(fake::wait_until([&] { return threads_of_process() <= with_one; }));
}

TEST(Executor, ThreadsEndWithTheLastCopy) {
  ASSERT_TRUE(Executor().run([] {}, fake::kPatience));  // ThreadSanitizer starts a thread here.
  ptrdiff_t without = 0;
  EXPECT_TRUE(fake::wait_until(
      [&] { return std::exchange(without, threads_of_process()) == threads_of_process(); }));
  auto executor = std::make_unique<Executor>();
  ASSERT_TRUE(executor->run([] {}, fake::kPatience));
  Executor copy = *executor;
  executor.reset();
  ASSERT_TRUE(copy.run([] {}, fake::kPatience));
  copy = Executor();
  EXPECT_TRUE(fake::wait_until([&] { return threads_of_process() <= without; }));
}

TEST(Executor, RunWaitsForWork) {
  const auto done = std::make_shared<bool>(false);
  EXPECT_TRUE(Executor().run([done] { *done = true; }, fake::kPatience));
  EXPECT_TRUE(*done);
}

TEST(Executor, RunReturnsWhileWorkHangs) {
  const auto let_go = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  EXPECT_FALSE(Executor().run(
      [let_go, ended] {
        let_go->get_future().wait();
        ended->set_value();
      },
      Milliseconds(20)));
  let_go->set_value();
  EXPECT_EQ(ended->get_future().wait_for(fake::kPatience), std::future_status::ready);
}

}  // namespace
}  // namespace patchbay::loop
