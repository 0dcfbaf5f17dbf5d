// Hostile clients of the plugin socket. The daemon survives within the manifest's memory limit, and
// other resources are answered.
#include <algorithm>
#include <atomic>
#include <list>
#include <string>
#include <thread>

#include "fake/daemon_fixture.h"
#include "fake/floods.h"
#include "fake/gophers.h"
#include "fake/http2_peer.h"
#include "fake/memory_cgroup.h"
#include "fake/peak_memory.h"

namespace patchbay {
namespace {

using fake::kGopher;

#ifdef __SANITIZE_ADDRESS__
constexpr size_t kMemory = size_t{1} << 30U;  // AddressSanitizer keeps freed memory.
#else
constexpr size_t kMemory = size_t{64} << 20U;  // The manifest's limit.
#endif
constexpr const char* kFlooded = "example.com/flooded";
constexpr int kFloodRounds = 5;

class SocketFloodTest : public fake::DaemonTest {
 protected:
  void start_both(const std::vector<std::string>& prefix) {
    gophers_.plug("g1");
    dir_.write("flooded/f1", "");
    start_daemon_in(prefix,
                    gophers_.config("  - name: example.com/flooded\n    match: {glob: " +
                                    (dir_ / "flooded/*") + ", type: file}\n    id: $(name)\n"));
  }

  void start(const std::vector<std::string>& prefix) {
    start_kubelet();
    start_both(prefix);
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
    ASSERT_TRUE(lists(kFlooded, "f1=Healthy"));
  }

  /// The current socket of the flooded resource.
  [[nodiscard]] std::string socket() const {
    return kubelet_directory() + "/" + kubelet_->endpoint(kFlooded);
  }

  /// Calls the other resource until the flood ends. Returns the number of calls.
  size_t ask_during(const fake::Flood& flood) {
    std::atomic<bool> over = false;
    std::jthread flooding([&, to = socket()] {
      try {
        flood.run(to, kFloodRounds);
      } catch (const std::runtime_error& error) {
        ADD_FAILURE() << error.what();
      }
      over = true;
    });
    size_t answers = 0;
    do {
      const auto answer = kubelet_->allocate(kGopher, {"g1"});
      if (!answer) {
        ADD_FAILURE() << answer.error().message;
        break;
      }
      ++answers;
    } while (!over);
    return answers;
  }

  fake::Gophers gophers_{dir_};
};

/// By name of the flood.
class SocketFlood : public SocketFloodTest, public ::testing::WithParamInterface<fake::Flood> {
 protected:
  /// A group with processes cannot be removed.
  void TearDown() override { daemon_.reset(); }

  const fake::MemoryCgroup cgroup_{kMemory};
};

TEST_P(SocketFlood, DoesNotAffectDaemonOrOtherResources) {
  if (cgroup_.unavailable()) GTEST_SKIP() << *cgroup_.unavailable();
  ASSERT_NO_FATAL_FAILURE(start(cgroup_.prefix()));
  EXPECT_GT(ask_during(GetParam()), 0U);
  // The log output about one call, and about all of them, stays small.
  for (const auto& line : daemon_->lines().all()) EXPECT_LT(line.text.size(), 4096U) << line.text;
  EXPECT_LT(fake::peak_memory_of(daemon_->pid()), kMemory);
  // The flooded resource also works again after the flood.
  const size_t mark = kubelet_->log().size();
  kubelet_->restart();
  EXPECT_TRUE(lists(kFlooded, "f1=Healthy", mark));
  EXPECT_TRUE(kubelet_->allocate(kFlooded, {"f1"}));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

using OtherPeers = SocketFloodTest;

TEST_F(OtherPeers, IdlePeersDoNotBlockRegistration) {
  start_kubelet();
  kubelet_->set_faults({.block_register = true}, kFlooded);
  start_both({});
  const auto registering = kubelet_->wait_for(Kind::register_called, kFlooded);
  ASSERT_TRUE(registering);
  // They connect before the kubelet does.
  const std::string to = kubelet_directory() + "/" + registering->endpoint;
  std::list<fake::Http2Peer> peers;
  for (int i = 0; i < 20; ++i) {
    peers.emplace_back(to, true);   // Sends nothing.
    peers.emplace_back(to, false);  // Sends only the preface.
  }
  kubelet_->set_faults({}, kFlooded);
  EXPECT_TRUE(lists(kFlooded, "f1=Healthy"));
  EXPECT_TRUE(kubelet_->allocate(kFlooded, {"f1"}));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(OtherPeers, ExcessiveRequestsAreRejectedWithReason) {
  ASSERT_NO_FATAL_FAILURE(start({}));
  v1beta1::AllocateRequest request;
  for (int i = 0; i < 100'000; ++i) request.add_container_requests();
  v1beta1::AllocateResponse response;
  const auto status =
      kubelet_->call(kFlooded, &v1beta1::DevicePlugin::Stub::Allocate, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "the request has too many fields: the limit is 88380");
  request.mutable_container_requests()->DeleteSubrange(0, 99'000);
  EXPECT_EQ(kubelet_->call(kFlooded, &v1beta1::DevicePlugin::Stub::Allocate, request, response)
                .error_message(),
            "the request is for 1000 containers; the limit is 256");
  EXPECT_TRUE(daemon_->wait_for_line("refused a request"));
  EXPECT_TRUE(kubelet_->allocate(kFlooded, {"f1"})) << "the connection lives";
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_EQ(daemon_->count_lines("\"allocated\""), 1U);
}

INSTANTIATE_TEST_SUITE_P(Of, SocketFlood, ::testing::ValuesIn(fake::floods()),
                         [](const auto& flood) { return flood.param.name; });

}  // namespace
}  // namespace patchbay
