#include "serve/peers.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "fake/patience.h"
#include "serve/connections.h"
#include "serve/http2_preface.h"

namespace patchbay::serve {
namespace {

/// A connection: our end and the peer's.
struct Ends {
  Ends() {
    std::array<int, 2> pair{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    ours = UniqueFd(pair[0]);
    peers = UniqueFd(pair[1]);
  }
  UniqueFd ours;
  UniqueFd peers;
};

std::vector<UniqueFd> both(Ends& first, Ends& second) {
  std::vector<UniqueFd> fds;
  fds.push_back(std::move(first.ours));
  fds.push_back(std::move(second.ours));
  return fds;
}

TEST(Peers, WaitsUntilAllPeersHangUp) {
  Ends first;
  Ends second;
  const auto connections = both(first, second);
  std::atomic<bool> all_closed = false;
  bool closed_when_it_was_over = false;
  std::jthread waiting([&] {
    wait_for_hang_up(connections, fake::kPatience);
    closed_when_it_was_over = all_closed;
  });
  ASSERT_EQ(write(second.peers.get(), "asked", 5), 5);
  first.peers.reset();
  all_closed = true;
  second.peers.reset();
  waiting.join();
  EXPECT_TRUE(closed_when_it_was_over);
  // The peer's request is left for the reader.
  std::array<char, 8> text{};
  EXPECT_EQ(read(connections[1].get(), text.data(), text.size()), 5);
}

TEST(Peers, WaitsNoLongerThanTheTimeout) {
  Ends first;
  Ends second;
  const auto connections = both(first, second);
  first.peers.reset();
  wait_for_hang_up(connections, std::chrono::milliseconds(10));
  wait_for_hang_up({}, fake::kPatience);
}

TEST(Peers, WaitsUntilSentBytesAreRead) {
  Ends first;
  Ends second;
  const auto connections = both(first, second);
  wait_until_read(connections, fake::kPatience);
  ASSERT_EQ(write(first.peers.get(), "asked", 5), 5);
  ASSERT_EQ(write(second.peers.get(), "asked", 5), 5);
  first.peers.reset();
  std::atomic<bool> all_read = false;
  bool read_when_it_was_over = false;
  std::jthread waiting([&] {
    wait_until_read(connections, fake::kPatience);
    read_when_it_was_over = all_read;
  });
  std::array<char, 8> text{};
  all_read = true;
  EXPECT_EQ(read(connections[1].get(), text.data(), text.size()), 5);
  waiting.join();
  EXPECT_TRUE(read_when_it_was_over);
  ASSERT_EQ(write(second.peers.get(), "asked", 5), 5);
  wait_until_read(connections, std::chrono::milliseconds(10));
}

/// gRPC's read from the connection, through the tap. Below 0: the connection is open and has no
/// data.
ssize_t read_as_grpc(const UniqueFd& connection) {
  std::array<char, 1024> bytes{};
  iovec piece{.iov_base = bytes.data(), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  return recvmsg(connection.get(), &message, MSG_DONTWAIT);
}

TEST(Connections, IsOpenUntilPeerHangsUp) {
  Connections connections;
  const inventory::SnapshotPtr list = std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.resource = std::make_shared<const rules::ResourcePlan>(), .units = {}});
  const auto channel = std::make_shared<ResourceChannel>(list);
  int told = 0;
  channel->on_hang_up = [&told] { ++told; };
  std::array<Ends, 3> ends;
  std::vector<UniqueFd> kept;
  for (Ends& end : ends) kept.push_back(*connections.add(std::move(end.ours), channel));
  EXPECT_LT(read_as_grpc(kept[0]), 0);
  EXPECT_EQ(told, 0);
  ends[0].peers.reset();
  EXPECT_EQ(read_as_grpc(kept[0]), 0);
  EXPECT_EQ(read_as_grpc(kept[0]), 0);
  EXPECT_EQ(told, 1) << "once";
  // A peer that did not read its data: the connection is reset.
  ASSERT_EQ(write(kept[1].get(), "unread", 6), 6);
  ends[1].peers.reset();
  EXPECT_LT(read_as_grpc(kept[1]), 0);
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(connections.has_open_connection(*channel));
  EXPECT_FALSE(connections.has_open_connection(ResourceChannel(list)));
  kept[2].reset();
  EXPECT_FALSE(connections.has_open_connection(*channel)) << "gRPC has closed the last one";
}

TEST(Connections, DuplicatesOpenDescriptors) {
  Connections connections;
  Ends first;
  Ends second;
  const inventory::SnapshotPtr list = std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.resource = std::make_shared<const rules::ResourcePlan>(), .units = {}});
  const auto channel = std::make_shared<ResourceChannel>(list);
  auto kept = connections.add(std::move(first.ours), channel);
  auto closed = connections.add(std::move(second.ours), channel);
  ASSERT_TRUE(kept && closed);
  const int number = closed->get();
  closed->reset();
  // A descriptor number that another file has by now.
  const UniqueFd other(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, number));
  EXPECT_EQ(other.get(), number);
  const auto copies = connections.duplicate_descriptors();
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_NE(copies[0].get(), kept->get());
}

TEST(Connections, ClosesOldestIdleConnectionWhenFull) {
  Connections connections;
  const inventory::SnapshotPtr list = std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.resource = std::make_shared<const rules::ResourcePlan>(), .units = {}});
  const auto channel = std::make_shared<ResourceChannel>(list);
  std::vector<Ends> ends(Connections::kMaxPerResource + 2);
  std::vector<UniqueFd> kept;
  const auto add = [&](size_t i) {
    auto fd = connections.add(std::move(ends[i].ours), channel);
    if (fd) kept.push_back(std::move(*fd));
    return fd.has_value();
  };
  const auto read_from = [&](size_t i) { return read_as_grpc(kept[i]); };
  const std::string call = std::string(kHttp2Preface) + std::string("\0\0\0\1\0\0\0\0\1", 9);
  for (size_t i = 0; i < Connections::kMaxPerResource; ++i) {
    ASSERT_TRUE(add(i));
    // The second connection is idle; all others have an open call.
    const std::string said = i == 1 ? std::string(kHttp2Preface) : call;
    ASSERT_EQ(write(ends[i].peers.get(), said.data(), said.size()),
              static_cast<ssize_t>(said.size()));
    ASSERT_EQ(read_from(i), static_cast<ssize_t>(said.size()));
  }
  ASSERT_TRUE(add(Connections::kMaxPerResource));
  EXPECT_EQ(read_from(1), 0) << "it was closed";
  EXPECT_LT(read_from(0), 0);
  ASSERT_EQ(write(ends[Connections::kMaxPerResource].peers.get(), call.data(), call.size()),
            static_cast<ssize_t>(call.size()));
  ASSERT_GT(read_from(Connections::kMaxPerResource), 0);
  EXPECT_FALSE(add(Connections::kMaxPerResource + 1)) << "all are in use";
}

}  // namespace
}  // namespace patchbay::serve
