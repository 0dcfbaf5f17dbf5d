// When a read of the configuration that hangs is retried.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "daemon/reload.h"
#include "fake/run_until.h"

namespace patchbay::daemon {
namespace {

using std::chrono_literals::operator""ms;

/// What reads hang on until it is opened. They outlive the test.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  size_t begun = 0;

  void pass() {
    std::unique_lock lock(mutex);
    ++begun;
    changed.wait(lock, [&] { return open; });
  }
  size_t count() {
    const std::lock_guard lock(mutex);
    return begun;
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

class ReloadRetryTest : public testing::Test {
 protected:
  ReloadRetryTest() {
    living_.plan = living_.whole = std::make_shared<const rules::Plan>();
    reload_ = std::make_unique<Reload>(
        loop_, *inotify_, host::HostRoot(), living_, counters_,
        Reload::Callbacks{.read =
                              [gate = gate_](const Configuration& before) {
                                gate->pass();
                                return before;
                              },
                          .complain = [](const auto& /*read*/) {},
                          .apply = [](const auto& /*plan*/) { return Result<void>(); }},
        Reload::Times{.period = 1ms, .timeout = 300ms});
  }
  ~ReloadRetryTest() override { gate_->let_go(); }

  loop::UvLoop loop_;
  std::unique_ptr<loop::Inotify> inotify_ = loop::Inotify::create(loop_).value();
  observe::Counters counters_;
  Configuration living_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::unique_ptr<Reload> reload_;
};

TEST_F(ReloadRetryTest, EachPeriodStartsAnotherReadUntilTheLimit) {
  reload_->read_again();
  ASSERT_TRUE(fake::run_until(loop_, [&] { return gate_->count() == Reload::kMostRetries; }));
  EXPECT_TRUE(reload_->status().hangs);
  // A change still starts a read.
  const auto more = loop_.every(1ms, [&] { reload_->read_again(); });
  ASSERT_TRUE(fake::run_until(loop_, [&] { return gate_->count() == Reload::kMostReads; }));
  gate_->let_go();
  ASSERT_TRUE(fake::run_until(loop_, [&] { return !reload_->status().hangs; }));
}

}  // namespace
}  // namespace patchbay::daemon
