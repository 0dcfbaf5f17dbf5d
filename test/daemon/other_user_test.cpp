// Tests that the daemon does not serve other users of the node.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>

#include "base/unique_fd.h"
#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay {
namespace {

using fake::kGopher;

constexpr uid_t kNobody = 65534;

/// The result of a connection: 0 or the errno of connect(), and whether the peer closed it without
/// data.
struct Attempt {
  int error = 0;
  bool closed = false;
};

/// Connects as another user, on a thread of its own. In the kernel each thread has its own user.
Attempt connect_as(uid_t user, const std::string& path) {
  Attempt attempt;
  std::thread([&] {
    constexpr auto kSame = static_cast<uid_t>(-1);
    if (syscall(SYS_setresuid, kSame, user, kSame) != 0) {
      attempt.error = errno;
      return;
    }
    const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(&address.sun_path[0], sizeof address.sun_path - 1);
    // The socket API requires this cast.
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (connect(fd.get(), generic, sizeof address) != 0) {
      attempt.error = errno;
      return;
    }
    char byte = 0;
    attempt.closed = read(fd.get(), &byte, 1) <= 0;
  }).join();
  return attempt;
}

class OtherUserTest : public fake::DaemonTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
    gophers_.plug("g1");
    start_kubelet();
    start_daemon(gophers_.config());
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
    socket_ = kubelet_directory() + "/" + kubelet_->endpoint(kGopher);
    // Lets all users enter the directories, unlike those of a real kubelet.
    ASSERT_EQ(chmod(std::string(dir_ / "").c_str(), 0755), 0);
    ASSERT_EQ(chmod(kubelet_directory().c_str(), 0755), 0);
  }

  fake::Gophers gophers_{dir_};
  std::string socket_;
};

TEST_F(OtherUserTest, OtherUserCannotConnect) {
  EXPECT_EQ(connect_as(kNobody, socket_).error, EACCES);
}

TEST_F(OtherUserTest, OtherUserIsDisconnectedIfModeAllowsAccess) {
  ASSERT_EQ(chmod(socket_.c_str(), 0666), 0);
  const Attempt attempt = connect_as(kNobody, socket_);
  EXPECT_EQ(attempt.error, 0);
  EXPECT_TRUE(attempt.closed);
  EXPECT_TRUE(daemon_->wait_for_line("refused a connection: the peer is another user"));
  // The kubelet's connection still works.
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
}

}  // namespace
}  // namespace patchbay
