#include "plugin/answer_paths.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/hanging_mount.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"

namespace patchbay::plugin {
namespace {

class AnswerPathsTest : public testing::Test {
 protected:
  using Answer = std::shared_ptr<std::optional<Result<inventory::PathStates>>>;

  Answer check(std::vector<std::string> paths) {
    auto answer = std::make_shared<Answer::element_type>();
    paths_.check(std::move(paths),
                 [answer](Result<inventory::PathStates> states) { *answer = std::move(states); });
    return answer;
  }
  bool comes(const Answer& answer) {
    return fake::run_until(loop_, [&] { return answer->has_value(); });
  }

  fake::TempDir dir_;
  loop::UvLoop loop_;
  AnswerPaths paths_{loop_, {}};
};

TEST_F(AnswerPathsTest, ReportsAllPaths) {
  const std::string file = dir_.write("file", "");
  const auto answer = check({"/dev/null", file, dir_ / "none"});
  ASSERT_TRUE(comes(answer));
  const auto& states = *answer;
  ASSERT_TRUE(*states);
  EXPECT_EQ((*states)->at("/dev/null").node, (DeviceNumber{false, 1, 3}));
  EXPECT_TRUE((*states)->at(file).exists);
  EXPECT_EQ((*states)->at(file).node.error().message, file + " is not a device node");
  EXPECT_FALSE((*states)->at(dir_ / "none").exists);
}

TEST_F(AnswerPathsTest, CachedReadWorksAfterFirstCheck) {
  EXPECT_FALSE(paths_.try_cached("/dev/null"));
  ASSERT_TRUE(comes(check({"/dev/null"})));
  const auto cached = paths_.try_cached("/dev/null");
  ASSERT_TRUE(cached);
  EXPECT_EQ(cached->node, (DeviceNumber{false, 1, 3}));
}

TEST_F(AnswerPathsTest, HungPathBlocksNoOtherCheck) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  fake::HangingMount mount;
  const std::string hung = mount / "tools";
  const auto first = check({"/dev/null", hung});
  ASSERT_TRUE(comes(check({"/dev/null", "/dev/zero"})));
  EXPECT_FALSE(first->has_value());
  ASSERT_TRUE(comes(first));
  EXPECT_EQ((*first)->error().message, hung + " is unresponsive: its file system hangs");
  mount.let_go();
  Answer again;
  EXPECT_TRUE(fake::run_until(loop_, [&] {
    if (!again || (again->has_value() && !(*again)->has_value())) again = check({hung});
    return again->has_value() && (*again)->has_value();
  }));
}

}  // namespace
}  // namespace patchbay::plugin
