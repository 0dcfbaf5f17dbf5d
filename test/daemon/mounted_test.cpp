// Tests mounts over the daemon's paths while it runs.
#include <sys/mount.h>

#include <filesystem>
#include <string>
#include <utility>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

using fake::kGopher;

/// Mounts a tmpfs on a directory until unmount() or the end of this object.
class Mounted {
 public:
  explicit Mounted(std::string directory, const char* options = "size=1m")
      : directory_(std::move(directory)),
        mounted_(::mount("patchbay", directory_.c_str(), "tmpfs", 0, options) == 0) {}
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  ~Mounted() { unmount(); }

  explicit operator bool() const { return mounted_; }
  [[nodiscard]] bool remount(unsigned long flags, const char* options = "size=1m") const {
    return ::mount("patchbay", directory_.c_str(), "tmpfs", MS_REMOUNT | flags, options) == 0;
  }
  void unmount() {
    if (std::exchange(mounted_, false)) ::umount2(directory_.c_str(), MNT_DETACH);
  }

 private:
  std::string directory_;
  bool mounted_;
};

class MountedTest : public fake::DaemonTest {
 protected:
  fake::Gophers gophers_{dir_};
};

TEST_F(MountedTest, FollowsMountOverPatternDirectory) {
  gophers_.plug("g1");
  start_kubelet();
  start_daemon(gophers_.config(), {"--rescan", "0s"});
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  Mounted mounted(dir_ / "gophers");
  if (!mounted) GTEST_SKIP() << "it takes root to mount";
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy"));
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Unhealthy g2=Healthy"));
  mounted.unmount();
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Unhealthy"));
}

TEST_F(MountedTest, RecoversFromReadOnlyKubeletDirectory) {
  gophers_.plug("g1");
  std::filesystem::create_directory(kubelet_directory());
  const Mounted mounted(kubelet_directory());
  if (!mounted) GTEST_SKIP() << "it takes root to mount";
  start_kubelet();
  ASSERT_TRUE(mounted.remount(MS_RDONLY));
  start_daemon(gophers_.config());
  const auto warning = daemon_->wait_for_line("cannot register");
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("Read-only file system"), std::string::npos) << *warning;
  ASSERT_TRUE(mounted.remount(0));
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
}

TEST_F(MountedTest, RecoversFromFullKubeletDirectory) {
  gophers_.plug("g1");
  std::filesystem::create_directory(kubelet_directory());
  const Mounted mounted(kubelet_directory(), "nr_inodes=2");
  if (!mounted) GTEST_SKIP() << "it takes root to mount";
  start_kubelet();  // Uses the last inode.
  start_daemon(gophers_.config());
  const auto warning = daemon_->wait_for_line("cannot register");
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("No space left on device"), std::string::npos) << *warning;
  ASSERT_TRUE(mounted.remount(0, "nr_inodes=100"));
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
}

}  // namespace
}  // namespace patchbay
