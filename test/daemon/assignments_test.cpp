// Tests which container uses a unit: from the kubelet's PodResources socket to the daemon's status.
#include <signal.h>

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/http_client.h"
#include "fake/pod_resources_server.h"

namespace patchbay {
namespace {

using fake::kGopher;
using fake::wait_until;

class AssignmentsTest : public fake::DaemonTest {
 protected:
  void serve_pods() { pods_ = std::make_unique<fake::PodResourcesServer>(pod_resources()); }

  void start(const std::vector<std::string>& more = {}) {
    gophers_.plug("g1");
    gophers_.plug("g2");
    start_kubelet();
    start_daemon(gophers_.config(), more);
    ASSERT_TRUE(wait_until([this] { return fake::HttpClient(status_socket()).connected(); }));
    ASSERT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  }

  /// Causes a request to the kubelet, which the daemon sends a second after an Allocate.
  void query_kubelet() {
    const size_t before = pods_->calls();
    ASSERT_TRUE(kubelet_->allocate(kGopher, {"g2"}));
    ASSERT_TRUE(wait_until([&] { return pods_->calls() > before; }));
  }

  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(fake::http_body(status_socket(), "/status"), nullptr, false);
  }
  /// The containers of the unit with that index, each as "namespace/pod/container".
  [[nodiscard]] static std::string holders(const nlohmann::json& status, size_t unit) {
    std::string text;
    for (const auto& holder : status["resources"][0]["units"][unit]["allocatedTo"]) {
      text += (text.empty() ? "" : " ") + holder["namespace"].get<std::string>() + "/" +
              holder["pod"].get<std::string>() + "/" + holder["container"].get<std::string>();
    }
    return text;
  }
  /// Polls until the status matches. A poll rarely causes a request to the kubelet.
  template <typename Holds>
  [[nodiscard]] testing::AssertionResult becomes(const Holds& holds) const {
    nlohmann::json last;
    const bool held = wait_until([&] {
      last = status();
      return last.is_object() && holds(last);
    });
    return held ? testing::AssertionSuccess() : testing::AssertionFailure() << last;
  }
  [[nodiscard]] testing::AssertionResult becomes_state(const std::string& state) const {
    return becomes([&](const auto& now) { return now["podResources"]["state"] == state; });
  }

  fake::Gophers gophers_{dir_};
  std::unique_ptr<fake::PodResourcesServer> pods_;
};

TEST_F(AssignmentsTest, StatusShowsAssignments) {
  serve_pods();
  pods_->hold({{"lab", "p", "c", kGopher, {"g1"}}, {"lab", "ghost", "d", kGopher, {"g9"}}});
  start({"--metrics-per-unit"});
  EXPECT_TRUE(becomes([](const auto& now) { return holders(now, 0) == "lab/p/c"; }));
  const auto now = status();
  EXPECT_EQ(now["podResources"]["state"], "ready");
  EXPECT_EQ(now["podResources"]["path"], pod_resources());
  EXPECT_EQ(now["podResources"]["withdrawnUnits"][0]["unit"], "g9");
  EXPECT_EQ(now["resources"][0]["counts"]["allocated"], 1);
  EXPECT_EQ(holders(now, 1), "");
  EXPECT_EQ(now["resources"][0]["units"][0]["lastAllocateTime"], "");
  const std::string metrics = fake::http_body(status_socket(), "/metrics");
  EXPECT_NE(
      metrics.find("patchbay_unit_allocation_info{resource=\"example.com/gopher\",unit=\"g1\","
                   "namespace=\"lab\",pod=\"p\",container=\"c\"} 1\n"),
      std::string::npos)
      << metrics;
}

TEST_F(AssignmentsTest, ScrapeWithMetricsPerUnitQueriesKubelet) {
  serve_pods();
  start({"--metrics-per-unit"});
  EXPECT_TRUE(wait_until([this] {
    return fake::http_body(status_socket(), "/metrics").find("patchbay_pod_resources_up 1\n") !=
           std::string::npos;
  }));
}

TEST_F(AssignmentsTest, MetricsHealthAndEventsDoNotQueryKubelet) {
  serve_pods();
  start();
  ASSERT_TRUE(wait_until([this] { return pods_->calls() == 2; }))
      << "the daemon queries at the election, because an earlier process may have allocated";
  for (const char* path : {"/metrics", "/readyz", "/healthz", "/events"}) {
    EXPECT_NE(fake::http_body(status_socket(), path), "") << path;
  }
  // The status passes through the same threads as the previous requests. So all calls that those
  // caused have been made.
  EXPECT_TRUE(becomes_state("ready"));
  EXPECT_LE(pods_->calls(), 3U)
      << "the daemon queries at the election, and one and ten seconds after it";
}

TEST_F(AssignmentsTest, AllocateTriggersQueryToKubelet) {
  serve_pods();
  start();
  pods_->hold({{"lab", "p", "c", kGopher, {"g2"}}});
  query_kubelet();
  EXPECT_TRUE(becomes([](const auto& now) { return holders(now, 1) == "lab/p/c"; }));
  const auto unit = status()["resources"][0]["units"][1];
  EXPECT_NE(unit["lastAllocateTime"], "");
  EXPECT_EQ(unit["allocatedTo"][0]["since"], unit["lastAllocateTime"]) << unit;
}

TEST_F(AssignmentsTest, StatusShowsAllocateTimeBeforeKubeletReportsPod) {
  serve_pods();
  start();
  ASSERT_TRUE(kubelet_->allocate(kGopher, {"g2"}));
  EXPECT_TRUE(becomes(
      [](const auto& now) { return now["resources"][0]["units"][1]["lastAllocateTime"] != ""; }));
  EXPECT_EQ(holders(status(), 1), "");
}

TEST_F(AssignmentsTest, MissingPodResourcesSocketIsLoggedOnlyAtDebugLevel) {
  start();
  EXPECT_TRUE(becomes_state("noSocket"));
  EXPECT_EQ(status()["podResources"]["reason"], "no socket at " + pod_resources());
  EXPECT_EQ(status()["resources"][0]["counts"]["allocated"], nullptr);
  EXPECT_EQ(stop_daemon().exit_code, 0);
  for (const auto& line : daemon_->lines().all()) {
    if (line.text.find(pod_resources()) == std::string::npos) continue;
    EXPECT_NE(line.text.find("\"level\":\"debug\""), std::string::npos) << line.text;
  }
}

TEST_F(AssignmentsTest, KeepsKnownAssignmentsWhileKubeletFails) {
  serve_pods();
  pods_->hold({{"lab", "p", "c", kGopher, {"g1"}}});
  start();
  EXPECT_TRUE(becomes([](const auto& now) { return holders(now, 0) == "lab/p/c"; }));
  pods_->refuse({grpc::StatusCode::RESOURCE_EXHAUSTED, "rejected by rate limit"});
  query_kubelet();
  EXPECT_TRUE(becomes_state("failing"));
  const auto failing = status();
  EXPECT_EQ(failing["podResources"]["reason"], "the call failed (code 8): rejected by rate limit");
  EXPECT_EQ(holders(failing, 0), "lab/p/c");
  EXPECT_TRUE(daemon_->wait_for_line("PodResources unavailable: unit holders are unknown"));
  pods_->stop();
  pods_->start();
  pods_->hold({{"lab", "q", "c", kGopher, {"g1"}}});
  query_kubelet();
  EXPECT_TRUE(becomes([](const auto& now) { return holders(now, 0) == "lab/q/c"; }));
  EXPECT_TRUE(daemon_->wait_for_line("PodResources is available again"));
}

TEST_F(AssignmentsTest, HungKubeletBlocksNeitherAllocateNorStatus) {
  serve_pods();
  pods_->hang();
  start();
  query_kubelet();
  EXPECT_TRUE(wait_until([this] {
    const size_t given_up = pods_->given_up();
    if (pods_->calls() == given_up) return false;  // No request hangs now; the next one is pending.
    return kubelet_->allocate(kGopher, {"g1"}).has_value() && status().is_object() &&
           pods_->given_up() == given_up;
  })) << "no Allocate was answered while a call hung";
  EXPECT_TRUE(becomes_state("failing"));
}

TEST_F(AssignmentsTest, HungCallDoesNotBlockShutdown) {
  serve_pods();
  pods_->hang();
  start();
  query_kubelet();
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_TRUE(wait_until([this] { return pods_->given_up() == pods_->calls(); }));
}

TEST_F(AssignmentsTest, AcceptsManyPodsButRejectsTooManyDevices) {
  serve_pods();
  v1::ListPodResourcesResponse much;
  for (int i = 0; i < 100'000; ++i) much.add_pod_resources();
  pods_->answer(much);
  start();
  query_kubelet();
  EXPECT_TRUE(becomes_state("ready"));
  const std::vector<std::string> many(20'000, "g1");
  pods_->hold({{"lab", "p", "c", kGopher, many}});
  query_kubelet();
  EXPECT_TRUE(becomes_state("failing"));
  EXPECT_EQ(status()["podResources"]["reason"],
            "the kubelet's answer is refused: it lists more than 8192 devices");
  pods_->hold({{"lab", "p", "c", kGopher, {"g1"}}});
  query_kubelet();
  EXPECT_TRUE(becomes([](const auto& now) { return holders(now, 0) == "lab/p/c"; }));
  EXPECT_EQ(status()["podResources"]["state"], "ready");
}

}  // namespace
}  // namespace patchbay
