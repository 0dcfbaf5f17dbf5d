// Tests clients of the plugin socket that are not a kubelet.
#include <signal.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/http2_peer.h"
#include "fake/memory_cgroup.h"
#include "fake/scripted_plugin.h"

namespace patchbay {
namespace {

using fake::kGopher;

#ifdef __SANITIZE_ADDRESS__
constexpr size_t kFloodedMemory = size_t{256} << 20U;  // AddressSanitizer keeps freed memory.
#else
constexpr size_t kFloodedMemory = size_t{64} << 20U;  // The manifest's limit.
#endif
constexpr const char* kOther = "example.com/other";

/// Sends incomplete messages on many connections, until the daemon closes one of them.
void send_unfinished_messages(const std::string& socket) {
  constexpr size_t kMegabyte = size_t{1} << 20U;
  constexpr int kConnections = 16;
  constexpr uint32_t kCalls = 100;
  const std::string message = fake::message_head(5 * kMegabyte) + std::string(4 * kMegabyte, ' ');
  std::list<fake::Http2Peer> peers;
  for (int i = 0; i < kConnections; ++i) {
    fake::Http2Peer& peer = peers.emplace_back(socket);
    for (uint32_t call = 0; call < kCalls; ++call) {
      const uint32_t stream = 2 * call + 1;  // Clients use odd numbers.
      if (!peer.send(fake::open_call(stream, "Allocate"))) return;
      if (!peer.send_data(stream, message, false)) return;
    }
  }
}

class OtherPeers : public fake::DaemonTest {
 protected:
  OtherPeers() { gophers_.plug("g1"); }

  fake::Gophers gophers_{dir_};
};

TEST_F(OtherPeers, IdlePeersDoNotBlockRegistration) {
  start_kubelet();
  kubelet_->set_faults({.block_register = true}, kGopher);
  start_daemon(gophers_.config());
  const auto registering = kubelet_->wait_for(Kind::register_called, kGopher);
  ASSERT_TRUE(registering);
  // These peers connect before the kubelet does.
  const std::string to = kubelet_directory() + "/" + registering->endpoint;
  std::list<fake::Http2Peer> peers;
  for (int i = 0; i < 20; ++i) {
    peers.emplace_back(to, true);   // Sends nothing.
    peers.emplace_back(to, false);  // Sends only the preface.
  }
  kubelet_->set_faults({}, kGopher);
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

/// For a client of root that exhausts the memory of the daemon's container.
class RootFlood : public OtherPeers {
 protected:
  /// Ends the daemon before the destructor removes its control group.
  void TearDown() override { daemon_.reset(); }

  const fake::MemoryCgroup cgroup_{kFloodedMemory};
};

TEST_F(RootFlood, KilledDaemonServesAgainAndOtherPluginIsUnaffected) {
  using PluginKind = fake::PluginEvent::Kind;
  if (cgroup_.unavailable()) GTEST_SKIP() << *cgroup_.unavailable();
  start_kubelet();
  start_daemon_in(cgroup_.prefix(), gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  fake::ScriptedPlugin other(kubelet_directory(), "other.sock");
  other.send({"o1"});
  ASSERT_TRUE(other.register_as(kOther).ok());
  ASSERT_TRUE(lists(kOther, "o1=Healthy"));

  std::atomic<bool> over = false;
  std::jthread flood([&, socket = kubelet_directory() + "/" + kubelet_->endpoint(kGopher)] {
    try {
      send_unfinished_messages(socket);
    } catch (const std::runtime_error& error) {
      std::cout << "the daemon ended between two connections: " << error.what() << '\n';
    }
    over = true;
  });
  do {
    ASSERT_TRUE(kubelet_->allocate(kOther, {"o1"}));
  } while (!over);
  EXPECT_EQ(daemon_->wait().exit_code, 128 + SIGKILL);
  EXPECT_EQ(cgroup_.kills(), 1U);

  // After the first kill of a container, the kubelet restarts it at once.
  const auto restarted = std::chrono::steady_clock::now();
  const size_t mark = kubelet_->log().size();
  start_daemon_in(cgroup_.prefix(), gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy", mark));
  const std::chrono::duration<double, std::milli> down = kubelet_->latest(kGopher)->at - restarted;
  std::cout << "restart until the kubelet has the list: " << down.count() << " ms\n";
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
  EXPECT_TRUE(kubelet_->allocate(kOther, {"o1"}));
  EXPECT_EQ(other.count(PluginKind::stream_opened), 1U);
  EXPECT_EQ(other.count(PluginKind::stream_cancelled), 0U);
  EXPECT_EQ(other.count(PluginKind::stream_closed), 0U);
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

}  // namespace
}  // namespace patchbay
