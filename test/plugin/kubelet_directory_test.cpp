#include "plugin/kubelet_directory.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fake/manual_inotify.h"
#include "fake/manual_loop.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"

namespace patchbay::plugin {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Mounts an empty file system over a directory until its end.
class MountOver {
 public:
  explicit MountOver(std::string path) : path_(std::move(path)) {
    mounted_ = ::mount("patchbay", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  MountOver(const MountOver&) = delete;
  MountOver& operator=(const MountOver&) = delete;
  ~MountOver() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string path_;
  bool mounted_ = false;
};

class KubeletDirectoryTest : public testing::Test {
 protected:
  KubeletDirectoryTest() { fs::create_directories(directory_.path()); }

  /// Binds the kubelet's socket.
  [[nodiscard]] UniqueFd kubelet() const {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const std::string path = directory_.kubelet_socket_path();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  /// Whether the directory reports the socket, or its absence if not `wanted`, before the first
  /// slow poll.
  [[nodiscard]] bool sees(bool wanted) {
    const bool seen = fake::run_until(loop_, [&] { return seen_.has_value() == wanted; });
    return seen && loop_.now() - started_ < 10s;
  }

  fake::TempDir dir_;
  loop::UvLoop loop_;
  std::unique_ptr<loop::Inotify> inotify_ = loop::Inotify::create(loop_).value();
  std::optional<SocketIdentity> seen_;
  loop::Time started_ = loop_.now();
  KubeletDirectory directory_{loop_,
                              *inotify_,
                              dir_ / "lib/kubelet/plugins",
                              {.on_kubelet_socket = [this](auto socket) { seen_ = socket; },
                               .on_deleted = [](const std::string&) {}}};
};

TEST_F(KubeletDirectoryTest, ReportsRecreatedDirectoryWithOpenSockets) {
  const UniqueFd pins_the_first = kubelet();
  directory_.start();
  ASSERT_TRUE(sees(true));
  for (const char* gone : {"lib/kubelet/plugins", "lib/kubelet", "lib"}) {
    fs::remove_all(dir_ / gone);
    EXPECT_TRUE(sees(false)) << gone;
    fs::create_directories(directory_.path());
    const UniqueFd next = kubelet();
    EXPECT_TRUE(sees(true)) << gone;
  }
}

TEST_F(KubeletDirectoryTest, ReportsMountOverDirectoryOrParent) {
  const UniqueFd first = kubelet();
  directory_.start();
  ASSERT_TRUE(sees(true));
  for (const char* over : {"lib/kubelet/plugins", "lib"}) {
    const auto mount = std::make_unique<MountOver>(dir_ / over);
    if (!mount->mounted()) GTEST_SKIP() << "it takes root to mount";
    EXPECT_TRUE(sees(false)) << over;
    fs::create_directories(directory_.path());
    const UniqueFd next = kubelet();
    EXPECT_TRUE(sees(true)) << over;
    fs::remove(directory_.kubelet_socket_path());
    EXPECT_TRUE(sees(false)) << over;
  }
  EXPECT_TRUE(sees(true)) << "the first one";
}

TEST(KubeletDirectoryWithoutWatchesTest, PollsEachSecondUntilWatchSucceeds) {
  const fake::TempDir dir;
  fake::ManualLoop loop;
  fake::ManualInotify inotify;
  size_t checks = 0;
  KubeletDirectory directory(loop, inotify, dir.path(),
                             {.on_kubelet_socket = [&](auto /*socket*/) { ++checks; },
                              .on_deleted = [](const std::string&) {}});
  inotify.refuses = true;
  directory.start();
  loop.advance(100ms);  // Includes the check that follows the first report of the mount table.
  const size_t before = checks;
  loop.advance(1s);
  EXPECT_EQ(checks, before + 1);
  inotify.refuses = false;
  loop.advance(1s);
  EXPECT_GT(inotify.count(), 0U);
  const size_t watched = checks;
  loop.advance(5s);
  EXPECT_EQ(checks, watched);
}

}  // namespace
}  // namespace patchbay::plugin
