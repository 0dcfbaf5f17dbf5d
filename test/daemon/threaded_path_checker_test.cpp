#include "daemon/threaded_path_checker.h"

#include <future>

#include <gtest/gtest.h>

#include "fake/hanging_mount.h"
#include "fake/patience.h"
#include "fake/temp_dir.h"

namespace patchbay::daemon {
namespace {

using States = Result<inventory::PathStates>;

class ThreadedPathCheckerTest : public testing::Test {
 protected:
  std::future<States> check(std::vector<std::string> paths) {
    const auto promise = std::make_shared<std::promise<States>>();
    checker_.check(std::move(paths),
                   [promise](States states) { promise->set_value(std::move(states)); });
    return promise->get_future();
  }
  static bool is_ready(const std::future<States>& answer,
                       std::chrono::milliseconds patience = fake::kPatience) {
    return answer.wait_for(patience) == std::future_status::ready;
  }

  fake::TempDir dir_;
  ThreadedPathChecker checker_{loop::Executor(), paths::HostRoot()};
};

TEST_F(ThreadedPathCheckerTest, ReportsAllPaths) {
  const std::string file = dir_.write("file", "");
  auto answer = check({"/dev/null", file, dir_ / "none"});
  ASSERT_TRUE(is_ready(answer));
  const auto states = answer.get();
  ASSERT_TRUE(states);
  EXPECT_EQ(states->at("/dev/null").node, (DeviceNumber{false, 1, 3}));
  EXPECT_TRUE(states->at(file).exists);
  EXPECT_EQ(states->at(file).node.error().message, file + " is not a device node");
  EXPECT_FALSE(states->at(dir_ / "none").exists);
}

TEST_F(ThreadedPathCheckerTest, HungPathBlocksNoOtherCheckAndIsSkipped) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  fake::HangingMount mount;
  const std::string hung = mount / "tools";
  const std::string words = hung + " is unresponsive: its file system hangs";
  auto first = check({"/dev/null", hung});
  ASSERT_TRUE(is_ready(check({"/dev/null", "/dev/zero"})));
  // Each waiting thread reports its path.
  EXPECT_TRUE(fake::wait_until([&] {
    return checker_.timeout_error({"/dev/null", hung}).message == words;
  }));
  // After a while the path is known to hang and occupies no thread.
  const auto since = std::chrono::steady_clock::now();
  EXPECT_TRUE(fake::wait_until(
      [&] { return std::chrono::steady_clock::now() - since >= loop::kHungAfter; }));
  auto known = check({hung, "/dev/null"});
  ASSERT_TRUE(is_ready(known, std::chrono::milliseconds(0)));
  EXPECT_EQ(known.get().error().message, words);
  EXPECT_FALSE(is_ready(first, std::chrono::milliseconds(0)));
  mount.let_go();
  ASSERT_TRUE(is_ready(first));
  EXPECT_FALSE(first.get()->at(hung).exists);
  EXPECT_TRUE(fake::wait_until([&] { return check({hung}).get().has_value(); }));
}

}  // namespace
}  // namespace patchbay::daemon
