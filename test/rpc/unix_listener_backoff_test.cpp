#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "fake/temp_dir.h"
#include "rpc/unix_listener.h"

namespace patchbay::rpc {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

/// The errno with which accept4() fails; 0 if it succeeds.
int accept_fails = 0;

class UnixListenerBackoffTest : public testing::Test {
 protected:
  /// The descriptor that the loop watches; -1 if there is none.
  [[nodiscard]] int watched() const {
    for (int fd = 0; fd < 1000; ++fd) {
      if (loop_.watches(fd)) return fd;
    }
    return -1;
  }
  void connection_waits() { loop_.make_readable(watched()); }

  fake::TempDir dir_;
  fake::ManualLoop loop_;
  std::vector<UniqueFd> taken_;
  std::unique_ptr<UnixListener> listener_ = *UnixListener::open(
      loop_, dir_ / "s", [this](UniqueFd fd) { taken_.push_back(std::move(fd)); });
};

TEST_F(UnixListenerBackoffTest, BacksOffWithoutDescriptorsAndAcceptsLater) {
  const auto peer = connect_unix(dir_ / "s");
  ASSERT_TRUE(peer);
  testing::internal::CaptureStderr();
  accept_fails = EMFILE;
  connection_waits();
  EXPECT_EQ(watched(), -1) << "it would be told again and again";
  loop_.advance(50ms);
  EXPECT_NE(watched(), -1);
  for (int i = 0; i < 10; ++i) {
    connection_waits();
    EXPECT_EQ(watched(), -1);
    loop_.advance(1s);
  }
  accept_fails = 0;
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex(".*warning cannot accept connections: retrying [^\n]*"
                                    "Too many open files.*\n"))
      << "once";
  EXPECT_TRUE(taken_.empty());
  connection_waits();
  EXPECT_EQ(taken_.size(), 1U);
  EXPECT_NE(watched(), -1);
}

}  // namespace
}  // namespace patchbay::rpc

/// Replaces the function of the C library. If the process really had no descriptors, sanitizers
/// would fail, too.
extern "C" int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  if (patchbay::rpc::accept_fails != 0) {
    errno = patchbay::rpc::accept_fails;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_accept4, fd, address, size, flags));
}
