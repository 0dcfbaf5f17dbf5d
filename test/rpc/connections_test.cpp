#include "rpc/connections.h"

#include <sys/socket.h>

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"

namespace patchbay::rpc {
namespace {

class ConnectionsTest : public testing::Test {
 protected:
  struct Accepted {
    UniqueFd peer;
    int fd = -1;    ///< The accepted descriptor.
    UniqueFd grpc;  ///< The copy for gRPC; none if the connection was refused.

    [[nodiscard]] std::string name() const { return "fd:" + std::to_string(grpc.get()); }
    /// Whether gRPC sees the end of the connection.
    [[nodiscard]] bool has_ended() const {
      char byte = 0;
      return recv(grpc.get(), &byte, 1, MSG_DONTWAIT) == 0;
    }
  };

  static std::shared_ptr<SocketOwner> make_owner() {
    return std::make_shared<SocketOwner>("a.io/b");
  }

  Accepted accept() {
    std::array<int, 2> pair{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    auto copy = connections_.add(UniqueFd(pair[1]), owner_);
    return {.peer = UniqueFd(pair[0]), .fd = pair[1], .grpc = copy ? *std::move(copy) : UniqueFd()};
  }

  fake::ManualLoop loop_;
  Connections connections_{loop_};
  const std::shared_ptr<SocketOwner> owner_ = make_owner();
};

TEST_F(ConnectionsTest, FindsOwnerUntilHangUp) {
  int hang_ups = 0;
  owner_->on_hang_up = [&hang_ups] { ++hang_ups; };
  const Accepted first = accept();
  const Accepted second = accept();
  EXPECT_EQ(connections_.find<SocketOwner>(first.name()), owner_);
  EXPECT_EQ(connections_.find<SocketOwner>("fd:0"), nullptr);
  EXPECT_EQ(connections_.find<SocketOwner>("unix:"), nullptr);
  EXPECT_EQ(connections_.descriptors(), (std::vector{first.fd, second.fd}));
  loop_.hang_up(first.fd);
  EXPECT_EQ(hang_ups, 1);
  EXPECT_EQ(connections_.find<SocketOwner>(first.name()), nullptr);
  EXPECT_EQ(connections_.descriptors(), std::vector{second.fd});
  EXPECT_TRUE(connections_.has_open_connection(*owner_));
  EXPECT_FALSE(connections_.has_open_connection(*make_owner()));
  loop_.hang_up(second.fd);
  EXPECT_EQ(hang_ups, 2);
  EXPECT_FALSE(connections_.has_open_connection(*owner_));
}

TEST_F(ConnectionsTest, DoesNotReuseDescriptorNumberAtOnce) {
  Accepted first = accept();
  const std::string name = first.name();
  loop_.hang_up(first.fd);
  first.grpc.reset();
  const Accepted second = accept();
  EXPECT_NE(second.name(), name);
  EXPECT_EQ(connections_.find<SocketOwner>(name), nullptr);
}

TEST_F(ConnectionsTest, ClosesOldestIdleConnectionWhenFull) {
  std::vector<Accepted> all;
  std::vector<std::shared_ptr<SocketOwner>> calls;
  for (size_t i = 0; i < Connections::kMaxPerOwner; ++i) {
    all.push_back(accept());
    if (i != 1 && i != 3) calls.push_back(connections_.find<SocketOwner>(all[i].name()));
  }
  EXPECT_FALSE(all[1].has_ended());
  all.push_back(accept());
  EXPECT_TRUE(all[1].has_ended());
  calls.push_back(connections_.find<SocketOwner>(all.back().name()));
  EXPECT_FALSE(all[3].has_ended());
  all.push_back(accept());
  EXPECT_TRUE(all[3].has_ended());
  calls.push_back(connections_.find<SocketOwner>(all.back().name()));
  EXPECT_FALSE(accept().grpc) << "all are in use";
  calls.erase(calls.begin());
  EXPECT_TRUE(accept().grpc) << "the first call has ended";
  EXPECT_TRUE(all[0].has_ended());
}

}  // namespace
}  // namespace patchbay::rpc
