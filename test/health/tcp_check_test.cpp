#include <netinet/in.h>
#include <sys/socket.h>

#include "base/unique_fd.h"
#include "health/check_fixture.h"

namespace patchbay::health {
namespace {

using std::chrono_literals::operator""ms;

/// Listens on the loopback address; closes with it.
class Listener {
 public:
  explicit Listener(int backlog = 16) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(fd_.get(), backlog), 0);
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// A connection that waits to be accepted.
  [[nodiscard]] UniqueFd connect() const {
    UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    ::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    return client;
  }

 private:
  UniqueFd fd_;
  uint16_t port_ = 0;
};

class TcpCheckTest : public CheckTest {
 protected:
  static Check tcp(const std::string& host, uint16_t port, loop::Milliseconds timeout = kLong) {
    return {.kind = Check::Kind::tcp, .host = host, .port = port, .timeout = timeout};
  }
};

TEST_F(TcpCheckTest, AConnectionPassesAndIsClosedAtOnce) {
  const Listener listener;
  EXPECT_THAT(run(tcp("127.0.0.1", listener.port())), done());
  const UniqueFd accepted(::accept(listener.fd(), nullptr, nullptr));
  ASSERT_TRUE(accepted);
  char byte = 0;
  EXPECT_EQ(::read(accepted.get(), &byte, 1), 0) << "its other end is closed";
}

/// localhost may be ::1 first, where nobody listens.
TEST_F(TcpCheckTest, ANameIsResolvedAndItsAddressesTried) {
  const Listener listener;
  EXPECT_THAT(run(tcp("localhost", listener.port())), done());
}

TEST_F(TcpCheckTest, ARefusalFails) {
  uint16_t port = 0;
  {
    const Listener gone;
    port = gone.port();
  }
  EXPECT_THAT(run(tcp("127.0.0.1", port)),
              failed("127.0.0.1:" + std::to_string(port) + " refuses connections"));
  EXPECT_THAT(run(tcp("::1", port)).reason,
              testing::AnyOf("[::1]:" + std::to_string(port) + " refuses connections",
                             testing::StartsWith("cannot connect to [::1]:")));
}

/// The kernel answers no more once so many wait to be accepted.
TEST_F(TcpCheckTest, NoAnswerFailsAtTheTimeout) {
  const Listener full(0);
  const UniqueFd first = full.connect();
  const UniqueFd second = full.connect();
  EXPECT_THAT(run(tcp("127.0.0.1", full.port(), 300ms)),
              failed("127.0.0.1:" + std::to_string(full.port()) + ": no answer within 300ms"));
}

TEST_F(TcpCheckTest, ANameThatDoesNotExistFails) {
  const auto result = run(tcp("scope.invalid", 5025));
  EXPECT_EQ(result.kind, CheckResult::Kind::failed);
  EXPECT_THAT(result.reason, testing::StartsWith("cannot resolve 'scope.invalid': "));
}

TEST_F(TcpCheckTest, NothingIsToldWhenTheSubscriptionHasEnded) {
  const Listener listener;
  const auto address = start(tcp("127.0.0.1", listener.port()));
  const auto name = start(tcp("localhost", listener.port()));
  address->subscription.reset();
  name->subscription.reset();
  EXPECT_THAT(run(tcp("localhost", listener.port())), done());
  EXPECT_FALSE(address->result);
  EXPECT_FALSE(name->result);
}

}  // namespace
}  // namespace patchbay::health
