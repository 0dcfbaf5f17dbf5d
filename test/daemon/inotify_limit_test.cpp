// Tests a limit of inotify that is too low for the daemon. The daemon logs this, keeps the existing
// watches, and loses no change.
#include <filesystem>
#include <string>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;

/// Sets the limit for a user namespace, so that the node's limit stays.
class InotifyLimitTest : public fake::DaemonTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (fake::run_process(
            {"unshare", "--user", "--map-root-user", "sh", "-c", "echo 3 > " + limit()})
            .exit_code != 0) {
      GTEST_SKIP() << "no user namespace of one's own here";
    }
  }
  [[nodiscard]] static std::string limit() { return std::string("/proc/sys/user/") + GetParam(); }

  /// Starts the daemon with the limit `granted`.
  void start_limited(const std::string& granted) {
    start_daemon_in({"unshare", "--user", "--map-root-user", "sh", "-c",
                     "echo " + granted + " > " + limit() + " && exec \"$@\"", "sh"},
                    gophers_.config(), {"--rescan", "0s"});
  }
  void raise() {
    EXPECT_EQ(fake::run_process({"nsenter", "--target", std::to_string(daemon_->pid()), "--user",
                                 "--preserve-credentials", "sh", "-c", "echo 1000 > " + limit()})
                  .exit_code,
              0);
  }

  fake::Gophers gophers_{dir_};
};

INSTANTIATE_TEST_SUITE_P(Of, InotifyLimitTest,
                         testing::Values("max_inotify_watches", "max_inotify_instances"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(InotifyLimitTest, LosesNoChangeAtLimitAndRecovers) {
  gophers_.plug("g1");
  start_kubelet();
  start_limited(GetParam() == std::string("max_inotify_watches") ? "2" : "0");
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  const auto warning = daemon_->wait_for_line("inotify watches exhausted");
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find(std::string("user.") + GetParam() + " = "), std::string::npos)
      << *warning;
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  fs::remove_all(dir_ / "gophers");
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy g2=Unhealthy"));
  raise();
  EXPECT_TRUE(daemon_->wait_for_line("inotify watches are available again"));
  const size_t mark = kubelet_->log().size();
  gophers_.plug("g1");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Unhealthy", mark));
  EXPECT_EQ(daemon_->count_lines("inotify watches exhausted"), 1U);
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
