// Tests edits that need a mount which the daemon's Pod lacks. Runs the daemon's binary.
#include <sys/mount.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

using fake::kGopher;
using fake::kMole;

constexpr const char* kEditRefused = "configuration rejected: keeping the previous one";
constexpr const char* kEditApplied = "configuration changed";
/// A path whose only mount is the root file system, so the Pod does not have it.
constexpr const char* kMissing = "/patchbay-test-missing/tools";

class ReloadMountsTest : public fake::ReloadTest {
 protected:
  /// Starts the daemon with an environment variable that all Pods have, and waits until it is
  /// registered.
  void start_serving_in_pod(const std::string& config, const std::vector<std::string>& more = {}) {
    start_kubelet();
    start_daemon_in({"env", "KUBERNETES_SERVICE_HOST=10.0.0.1"}, config, more);
    ASSERT_TRUE(daemon_->wait_for_line("registered"));
  }
  [[nodiscard]] std::string with_mount(const std::string& path) const {
    return gophers_.config("    mounts: [{hostPath: " + path + "}]\n");
  }
};

TEST_F(ReloadMountsTest, EditThatNeedsMissingMountIsRejected) {
  start_serving_in_pod(gophers_.config());
  edit(with_mount(kMissing));
  ASSERT_TRUE(logs(kEditRefused));
  const auto line = daemon_->wait_for_line("is not mounted in this Pod");
  ASSERT_TRUE(line);
  for (const std::string part :
       {R"("level":"error")", R"("'/patchbay-test-missing/tools' is not mounted in this Pod")",
        R"("line":"9","column":"25")",
        R"("add it to the DaemonSet first: the chart's value hostPaths with {path: )"
        R"(/patchbay-test-missing}, or the patch of `patchbay validate`")"}) {
    EXPECT_TRUE(line->contains(part)) << part << "\n" << *line;
  }
  EXPECT_EQ(gopher_lists(), 1U);
  // An edit is also rejected if a directory that Patchbay writes to is not mounted.
  size_t mark = log_mark();
  edit(gophers_.config("    cdi: write\n"));
  ASSERT_TRUE(logs("'/var/run/cdi' is not mounted for writing in this Pod", mark));
  ASSERT_TRUE(logs(kEditRefused, mark));
  // The next edit applies.
  mark = log_mark();
  edit(gophers_.config() + moles());
  ASSERT_TRUE(logs(kEditApplied, mark));
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
  EXPECT_EQ(gopher_lists(), 1U);
}

TEST_F(ReloadMountsTest, MissingPathIsAcceptedOutsidePod) {
  start_serving(gophers_.config());
  edit(with_mount(kMissing));
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy"));
  EXPECT_EQ(daemon_->count_lines(kEditRefused), 0U);
}

/// An edit is accepted if its path can appear below a mount, or exists in the image.
TEST_F(ReloadMountsTest, MissingPathBelowMountIsAccepted) {
  std::filesystem::create_directory(dir_ / "mounted");
  if (::mount("patchbay", (dir_ / "mounted").c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "it takes root to mount";
  }
  start_serving_in_pod(gophers_.config());
  edit(with_mount(dir_ / "mounted/later"));
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy"));
  const size_t mark = kubelet_->log().size();
  edit(with_mount("/usr"));
  EXPECT_TRUE(lists(kGopher, "g1=Healthy", mark));
  EXPECT_EQ(daemon_->count_lines(kEditRefused), 0U);
  ::umount2((dir_ / "mounted").c_str(), MNT_DETACH);
}

/// The file on the node changed, not the configuration. So there is no edit to reject.
TEST_F(ReloadMountsTest, ResourceEnabledByWhenMayNeedMissingMount) {
  start_serving_in_pod(gophers_.config() +
                       moles("    when: {file: {" + (dir_ / "driver") + ": loaded}}\n" +
                             "    mounts: [{hostPath: " + kMissing + "}]\n"));
  dir_.write("driver", "loaded\n");
  EXPECT_TRUE(lists(kMole, "m1=Unhealthy"));
  const auto line = daemon_->wait_for_line("'/patchbay-test-missing/tools' is not mounted");
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->contains(R"("level":"warning")")) << *line;
  EXPECT_EQ(daemon_->count_lines(kEditRefused), 0U);
}

TEST_F(ReloadMountsTest, StartReportsMissingMountAndLaterEditsApply) {
  start_serving_in_pod(with_mount(kMissing));
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy"));
  const auto line = daemon_->wait_for_line("'/patchbay-test-missing/tools' is not mounted");
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->contains(R"("level":"warning")")) << *line;
  edit(with_mount(kMissing) + moles());
  EXPECT_TRUE(lists(kMole, "m1=Healthy"));
  EXPECT_EQ(daemon_->count_lines(kEditRefused), 0U);
}

}  // namespace
}  // namespace patchbay
