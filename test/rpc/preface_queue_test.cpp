#include "rpc/preface_queue.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"

namespace patchbay::rpc {
namespace {

class PrefaceQueueTest : public ::testing::Test {
 protected:
  /// A connecting client, and our descriptor.
  struct Entry {
    UniqueFd peer;
    int number = -1;
    void say(std::string_view text) const {
      EXPECT_EQ(write(peer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] bool is_closed() const {
      char byte = 0;
      errno = 0;
      // A reset, if unread data was left.
      return recv(peer.get(), &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
    }
  };

  Entry come(std::string_view text = "") {
    std::array<int, 2> pair{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    Entry guest{.peer = UniqueFd(pair[0]), .number = pair[1]};
    guest.say(text);
    queue_.add(UniqueFd(pair[1]));
    return guest;
  }

  fake::ManualLoop loop_;
  std::vector<UniqueFd> ready_;
  PrefaceQueue queue_{loop_, [this](UniqueFd fd) { ready_.push_back(std::move(fd)); }};
};

TEST_F(PrefaceQueueTest, ForwardsHttp2Connection) {
  const Entry at_once = come(kHttp2Preface);
  ASSERT_EQ(ready_.size(), 1U);
  const Entry later = come();
  EXPECT_EQ(ready_.size(), 1U);
  later.say("P");
  loop_.make_readable(later.number);
  ASSERT_EQ(ready_.size(), 2U);
  EXPECT_FALSE(loop_.watches(later.number));
  std::array<char, 4> text{};
  EXPECT_EQ(read(ready_.back().get(), text.data(), text.size()), 1) << "what it said is kept";
  loop_.advance(PrefaceQueue::kTimeout * 2);
  EXPECT_FALSE(later.is_closed());
}

TEST_F(PrefaceQueueTest, ClosesConnectionWithOtherProtocol) {
  const Entry browser = come("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(browser.is_closed());
  const Entry later = come();
  later.say("PRI * FTP");
  loop_.make_readable(later.number);
  EXPECT_TRUE(later.is_closed());
  Entry gone = come();
  gone.peer.reset();
  loop_.make_readable(gone.number);
  EXPECT_FALSE(loop_.watches(gone.number));
  EXPECT_TRUE(ready_.empty());
}

TEST_F(PrefaceQueueTest, ClosesSilentConnection) {
  const Entry guest = come();
  loop_.advance(PrefaceQueue::kTimeout - loop::Milliseconds(1));
  EXPECT_FALSE(guest.is_closed());
  loop_.advance(loop::Milliseconds(1));
  EXPECT_TRUE(guest.is_closed());
}

TEST_F(PrefaceQueueTest, EvictsOldestConnectionWhenFull) {
  std::vector<Entry> silent;
  for (size_t i = 0; i < PrefaceQueue::kCapacity; ++i) silent.push_back(come());
  const Entry kubelet = come();
  EXPECT_TRUE(silent[0].is_closed()) << "the first goes";
  EXPECT_FALSE(silent[1].is_closed());
  kubelet.say(kHttp2Preface);
  loop_.make_readable(kubelet.number);
  EXPECT_EQ(ready_.size(), 1U);
}

}  // namespace
}  // namespace patchbay::rpc
