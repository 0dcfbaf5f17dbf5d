#include "loop/run_detached.h"

#include <future>
#include <memory>

#include <gtest/gtest.h>

#include "fake/patience.h"

namespace patchbay::loop {
namespace {

TEST(RunDetachedTest, WaitsForATaskThatEnds) {
  const auto done = std::make_shared<bool>(false);
  EXPECT_TRUE(run_detached([done] { *done = true; }, fake::kPatience));
  EXPECT_TRUE(*done);
}

TEST(RunDetachedTest, ReturnsWhileATaskHangs) {
  const auto let_go = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  EXPECT_FALSE(run_detached(
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
