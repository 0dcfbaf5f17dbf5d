#include "serve/peers.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "fake/patience.h"
#include "serve/connections.h"

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

TEST(Peers, AreWaitedForUntilAllHaveHungUp) {
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
  // What a peer has asked is for who reads it.
  std::array<char, 8> text{};
  EXPECT_EQ(read(connections[1].get(), text.data(), text.size()), 5);
}

TEST(Peers, AreNotWaitedForForEver) {
  Ends first;
  Ends second;
  const auto connections = both(first, second);
  first.peers.reset();
  wait_for_hang_up(connections, std::chrono::milliseconds(10));
  wait_for_hang_up({}, fake::kPatience);
}

TEST(Peers, AreWaitedForUntilWhatTheySentIsRead) {
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

TEST(Connections, AreCopiedWhileTheyAreOpen) {
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
  // A number that is another file's by now.
  const UniqueFd other(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, number));
  EXPECT_EQ(other.get(), number);
  const auto copies = connections.copies();
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_NE(copies[0].get(), kept->get());
}

}  // namespace
}  // namespace patchbay::serve
