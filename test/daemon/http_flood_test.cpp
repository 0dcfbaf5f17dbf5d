// Clients flood the HTTP port. The daemon survives within the manifest's memory limit, and answers
// the kubelet's liveness probe and Allocate meanwhile.
#include <atomic>
#include <string>
#include <thread>
#include <tuple>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/http_client.h"
#include "fake/http_floods.h"
#include "fake/memory_cgroup.h"
#include "fake/peak_memory.h"

namespace patchbay {
namespace {

using fake::kGopher;

#ifdef __SANITIZE_ADDRESS__
constexpr size_t kHttpMemory = size_t{1} << 30U;  // AddressSanitizer keeps freed memory.
constexpr size_t kMostGrown = kHttpMemory;
#else
constexpr size_t kHttpMemory = size_t{64} << 20U;  // The manifest's limit.
constexpr size_t kMostGrown = size_t{12} << 20U;
#endif
#ifdef NDEBUG
constexpr size_t kMostUsed = size_t{24} << 20U;
#else
constexpr size_t kMostUsed = kHttpMemory;  // A debug build uses nearly as much when idle.
#endif
/// A flood is long enough after this many bytes sent, or this many connections closed.
constexpr uint64_t kEnoughBytes = uint64_t{200} << 20U;
constexpr uint64_t kEnoughClosed = 300;
/// Minimum number of requests to the daemon during the flood.
constexpr int kAsked = 20;

class HttpFlood : public fake::DaemonTest,
                  public ::testing::WithParamInterface<std::tuple<fake::HttpFlood, size_t>> {
 protected:
  void start() {
    gophers_.plug("g1");
    start_kubelet();
    start_daemon_in(cgroup_.prefix(), gophers_.config(),
                    {"--listen", "127.0.0.1:" + std::to_string(port_), "--page"});
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
    ASSERT_TRUE(fake::wait_until([this] { return fake::HttpClient(port_).connected(); }));
  }
  /// Ends the daemon before the destructor removes its control group.
  void TearDown() override { daemon_.reset(); }

  void ask_during_flood() {
    const auto& flood = std::get<0>(GetParam());
    const auto connections = std::get<1>(GetParam());
    const bool is_silent = flood.again.empty();
    std::atomic<bool> enough = false;
    std::atomic<bool> over = false;
    const std::jthread flooding([&] {
      fake::flood_http(flood, port_, connections, [&](const fake::HttpFlooded& so_far) {
        enough = is_silent || so_far.bytes >= kEnoughBytes || so_far.closed >= kEnoughClosed;
        return !over;
      });
    });
    for (int i = 0; (i < kAsked || !enough) && !HasFailure(); ++i) {
      EXPECT_EQ(fake::http_body(port_, "/healthz"), "ok\n");
      EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
    }
    over = true;
  }

  const uint16_t port_ = fake::free_port();
  const fake::MemoryCgroup cgroup_{kHttpMemory};
  fake::Gophers gophers_{dir_};
};

TEST_P(HttpFlood, FloodAffectsNeitherMemoryNorLiveness) {
  if (cgroup_.unavailable()) GTEST_SKIP() << *cgroup_.unavailable();
  ASSERT_NO_FATAL_FAILURE(start());
  const size_t before = fake::peak_memory_of(daemon_->pid());
  ask_during_flood();
  const size_t after = fake::peak_memory_of(daemon_->pid());
  EXPECT_LT(after, before + kMostGrown);
  EXPECT_LT(after, kMostUsed);
  EXPECT_EQ(fake::http_body(port_, "/healthz"), "ok\n");
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, HttpFlood,
                         ::testing::Combine(::testing::ValuesIn(fake::http_floods()),
                                            ::testing::Values(size_t{1}, size_t{200})),
                         [](const auto& flood) {
                           return std::get<0>(flood.param).name + "From" +
                                  std::to_string(std::get<1>(flood.param));
                         });

}  // namespace
}  // namespace patchbay
