#include <sys/socket.h>

#include "base/unique_fd.h"
#include "health/check_fixture.h"
#include "health/listener.h"

namespace patchbay::health {
namespace {

using std::chrono_literals::operator""ms;

class TcpCheckTest : public CheckTest {
 protected:
  static Check tcp(const std::string& host, uint16_t port, loop::Milliseconds timeout = kLong) {
    return {.kind = Check::Kind::tcp, .host = host, .port = port, .timeout = timeout};
  }
};

TEST_F(TcpCheckTest, ConnectionPassesAndIsClosedAtOnce) {
  const Listener listener;
  EXPECT_THAT(run(tcp("127.0.0.1", listener.port())), done());
  const UniqueFd accepted(::accept(listener.fd(), nullptr, nullptr));
  ASSERT_TRUE(accepted);
  char byte = 0;
  EXPECT_EQ(::read(accepted.get(), &byte, 1), 0) << "its other end is closed";
}

/// The first address of localhost may be ::1, which has no listener.
TEST_F(TcpCheckTest, ResolvesANameAndTriesItsAddresses) {
  const Listener listener;
  EXPECT_THAT(run(tcp("localhost", listener.port())), done());
}

TEST_F(TcpCheckTest, RefusedConnectionFails) {
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

/// The kernel does not answer while the backlog is full.
TEST_F(TcpCheckTest, NoAnswerFailsAtTheTimeout) {
  const Listener full({.backlog = 0});
  const UniqueFd first = full.connect();
  const UniqueFd second = full.connect();
  EXPECT_THAT(run(tcp("127.0.0.1", full.port(), 300ms)),
              failed("127.0.0.1:" + std::to_string(full.port()) + ": no answer within 300ms"));
}

TEST_F(TcpCheckTest, UnknownNameFails) {
  const auto result = run(tcp("scope.invalid", 5025));
  EXPECT_EQ(result.kind, CheckResult::Kind::failed);
  EXPECT_THAT(result.reason, testing::StartsWith("cannot resolve 'scope.invalid': "));
}

TEST_F(TcpCheckTest, ReportsNothingAfterTheSubscriptionEnded) {
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
