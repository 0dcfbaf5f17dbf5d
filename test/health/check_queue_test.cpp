#include "health/check_queue.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "health/scripted_runner.h"

namespace patchbay::health {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CheckQueueTest : public testing::Test {
 protected:
  loop::Subscription add(const Check& check) {
    return queue_.add(
        check, [this, &check] { reported_.push_back("+" + check.path); },
        [this, &check](const CheckResult&) { reported_.push_back("-" + check.path); });
  }
  static Check check(const std::string& path) { return {.path = path}; }

  const Check a_ = check("/a");
  const Check b_ = check("/b");
  const Check c_ = check("/c");
  ScriptedRunner runner_;
  CheckQueue queue_{runner_, 2};
  std::vector<std::string> reported_;
};

TEST_F(CheckQueueTest, RunsLimitedNumberOfChecksInOrder) {
  const auto a = add(a_);
  const auto b = add(b_);
  const auto c = add(c_);
  EXPECT_THAT(reported_, ElementsAre("+/a", "+/b"));
  runner_.pass("/b");
  EXPECT_THAT(reported_, ElementsAre("+/a", "+/b", "+/c", "-/b"));
  runner_.pass("/a");
  runner_.pass("/c");
  EXPECT_TRUE(queue_.idle());
  EXPECT_EQ(runner_.most_at_once, 2U);
}

TEST_F(CheckQueueTest, BlockedCheckReleasesItsSlot) {
  const auto a = add(a_);
  const auto b = add(b_);
  const auto c = add(c_);
  runner_.wait("/a");
  EXPECT_THAT(reported_, ElementsAre("+/a", "+/b", "+/c"));
  const auto again = add(a_);
  EXPECT_THAT(runner_.running(), ElementsAre("/a", "/b", "/c")) << "two that do not wait";
  runner_.pass("/a");
  EXPECT_THAT(runner_.running(), ElementsAre("/b", "/c")) << "its place was taken before";
  runner_.pass("/b");
  EXPECT_THAT(runner_.running(), ElementsAre("/c", "/a"));
}

TEST_F(CheckQueueTest, DroppedCheckReleasesItsSlot) {
  auto a = add(a_);
  const auto b = add(b_);
  auto c = add(c_);
  a.reset();
  EXPECT_THAT(runner_.running(), ElementsAre("/b", "/c"));
  auto again = add(a_);
  again.reset();  // This check has not run.
  c.reset();
  EXPECT_THAT(runner_.running(), ElementsAre("/b"));
  EXPECT_THAT(reported_, ElementsAre("+/a", "+/b", "+/c"));
}

TEST_F(CheckQueueTest, StartsNothingAfterClose) {
  auto a = add(a_);
  const auto b = add(b_);
  const auto c = add(c_);
  queue_.close();
  a.reset();
  EXPECT_THAT(runner_.running(), ElementsAre("/b"));
}

}  // namespace
}  // namespace patchbay::health
