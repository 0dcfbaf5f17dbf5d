// Tests configuration files that become readable, unreadable or covered by a mount without a write.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "fake/reload_fixture.h"

namespace patchbay {
namespace {

constexpr const char* kDenied = "Permission denied";
constexpr const char* kRejected = "configuration rejected";
constexpr const char* kUnnoticed = "configuration unchanged";

class ReloadAccessTest : public fake::ReloadTest {
 protected:
  /// Starts the daemon without a kubelet, as a user who is bound by file modes.
  void start_as_nobody(const std::vector<std::string>& more = {}) {
    ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
    start_daemon_in({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"},
                    gophers_.config(), more);
    ASSERT_TRUE(logs("\"resource ready\""));
  }
  void deny_and_allow(const std::string& path, mode_t mode) {
    size_t mark = log_mark();
    ASSERT_EQ(::chmod(path.c_str(), 0), 0);
    ASSERT_TRUE(logs(kDenied, mark));
    // Waits for the rejection, because a failed watch can log the same reason earlier.
    ASSERT_TRUE(logs(kRejected, mark));
    mark = log_mark();
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(logs(kUnnoticed, mark));
  }
};

TEST_F(ReloadAccessTest, FileModeChangeReloads) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can start it as another user";
  start_as_nobody();
  deny_and_allow(dir_ / "config.yaml", 0644);
  deny_and_allow(dir_ / "config.yaml", 0644);
}

/// No watch of a directory above the mount reports the mode of the mount's root.
TEST_F(ReloadAccessTest, ModeChangeOfMountRootReloads) {
  const std::string conf = dir_ / "conf";
  std::filesystem::create_directory(conf);
  if (::mount("none", conf.c_str(), "tmpfs", 0, "mode=0755") != 0) {
    GTEST_SKIP() << "only root can mount";
  }
  dir_.write("conf/a.yaml", fake::kHead + moles());
  start_as_nobody({"--config", conf});
  deny_and_allow(conf, 0755);
  deny_and_allow(conf, 0755);
  EXPECT_EQ(::umount2(conf.c_str(), MNT_DETACH), 0);
}

TEST_F(ReloadAccessTest, DirectoryModeChangeReloads) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can start it as another user";
  dir_.write("conf/a.yaml", fake::kHead + moles());
  start_as_nobody({"--config", dir_ / "conf"});
  deny_and_allow(dir_ / "conf", 0755);
  deny_and_allow(dir_ / "conf/a.yaml", 0644);
}

TEST_F(ReloadAccessTest, MountAndUnmountOverFileReload) {
  start_serving(gophers_.config());
  const std::string other = dir_.write("other.yaml", gophers_.config() + moles());
  const std::string config = dir_ / "config.yaml";
  if (::mount(other.c_str(), config.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "it takes root to mount";
  }
  EXPECT_TRUE(lists(fake::kMole, "m1=Healthy"));
  const size_t mark = log_mark();
  ASSERT_EQ(::umount2(config.c_str(), MNT_DETACH), 0);
  EXPECT_TRUE(logs("removed example.com/mole", mark));
}

}  // namespace
}  // namespace patchbay
