#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fake/patience.h"
#include "rpc/connections.h"

namespace patchbay::rpc {
namespace {

/// Both ends of a connection.
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

std::vector<int> both(const Ends& first, const Ends& second) {
  return {first.ours.get(), second.ours.get()};
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
  // The peer's request is not consumed.
  std::array<char, 8> text{};
  EXPECT_EQ(read(connections[1], text.data(), text.size()), 5);
}

TEST(Peers, WaitForHangUpEndsAtTimeout) {
  Ends first;
  Ends second;
  const auto connections = both(first, second);
  first.peers.reset();
  const auto waiting = std::async(
      std::launch::async, [&] { wait_for_hang_up(connections, std::chrono::milliseconds(10)); });
  EXPECT_EQ(waiting.wait_for(fake::kPatience), std::future_status::ready);
  second.peers.reset();  // Ends a wait that ignores its timeout.
}

TEST(Peers, WaitForHangUpEndsAtOnceWithoutPeers) {
  const auto waiting =
      std::async(std::launch::async, [] { wait_for_hang_up({}, 2 * fake::kPatience); });
  EXPECT_EQ(waiting.wait_for(fake::kPatience), std::future_status::ready);
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
  EXPECT_EQ(read(connections[1], text.data(), text.size()), 5);
  waiting.join();
  EXPECT_TRUE(read_when_it_was_over);
}

TEST(Peers, WaitUntilReadEndsAtTimeout) {
  const Ends first;
  Ends second;
  const auto connections = both(first, second);
  ASSERT_EQ(write(second.peers.get(), "asked", 5), 5);
  const auto waiting = std::async(
      std::launch::async, [&] { wait_until_read(connections, std::chrono::milliseconds(10)); });
  EXPECT_EQ(waiting.wait_for(fake::kPatience), std::future_status::ready);
  second.peers.reset();  // Ends a wait that ignores its timeout.
}

}  // namespace
}  // namespace patchbay::rpc
