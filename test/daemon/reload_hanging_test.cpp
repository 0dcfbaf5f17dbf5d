// Tests a hung read of the configuration, which a newer change supersedes. The kernel cannot end a
// thread that waits for a StallingMount. So no test waits for the daemon's end while one stalls.
#include <filesystem>
#include <string>

#include "fake/hanging_mount.h"
#include "fake/reload_fixture.h"
#include "fake/stalling_mount.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kMole;

constexpr const char* kHangs = "configuration cannot be read";

class ReloadHangingTest : public fake::ReloadTest {
 protected:
  void start_serving_without_leak_search() {
    start_kubelet();
    start_daemon_in({"env", "ASAN_OPTIONS=detect_leaks=0"}, gophers_.config());
    ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy"));
  }

  /// Replaces the configuration by a link to `target`, in one step.
  void link_to(const std::string& target) const {
    fs::create_symlink(target, dir_ / "next.yaml");
    fs::rename(dir_ / "next.yaml", dir_ / "config.yaml");
  }

  void expect_next_edit_is_used() {
    replace_config(gophers_.config() + moles());
    EXPECT_TRUE(lists(kMole, "m1=Healthy"));
    EXPECT_EQ(gopher_lists(), 1U);
  }
};

TEST_F(ReloadHangingTest, EditSupersedesHungFile) {
  const fake::StallingMount stalling;
  if (!stalling.mounted()) GTEST_SKIP() << "no FUSE here";
  start_serving_without_leak_search();
  link_to(stalling / "config.yaml");
  ASSERT_TRUE(fake::wait_until([&] { return stalling.reads() > 0; }));
  expect_next_edit_is_used();
}

TEST_F(ReloadHangingTest, LateResultOfSupersededReadIsDropped) {
  fake::StallingMount stalling;
  if (!stalling.mounted()) GTEST_SKIP() << "no FUSE here";
  start_serving_without_leak_search();
  link_to(stalling / "config.yaml");
  ASSERT_TRUE(fake::wait_until([&] { return stalling.reads() > 0; }));
  replace_config(gophers_.config() + moles());
  ASSERT_TRUE(lists(kMole, "m1=Healthy"));
  stalling.answer(gophers_.config());
  const size_t mark = log_mark();
  replace_config(gophers_.config("    description: x\n") + moles());
  ASSERT_TRUE(logs("configuration changed", mark));
  EXPECT_EQ(kubelet_->history(kMole).size(), 1U);
}

TEST_F(ReloadHangingTest, ResultAfterTimeoutIsUsedAtOnce) {
  fake::StallingMount stalling;
  if (!stalling.mounted()) GTEST_SKIP() << "no FUSE here";
  start_serving_without_leak_search();
  link_to(stalling / "config.yaml");
  ASSERT_TRUE(logs(kHangs));
  stalling.answer(gophers_.config() + moles());
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
  EXPECT_EQ(daemon_->count_lines(kHangs), 1U);
}

TEST_F(ReloadHangingTest, EditSupersedesHungDirectory) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const fake::HangingMount hanging;
  start_serving_without_leak_search();
  link_to(hanging / "config.yaml");
  ASSERT_TRUE(logs(kHangs));
  expect_next_edit_is_used();
}

}  // namespace
}  // namespace patchbay
