// Tests what the daemon reports over its status socket and TCP.
#include <signal.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/hanging_mount.h"
#include "fake/http_client.h"
#include "http/listening.h"

namespace patchbay {
namespace {

using fake::http_body;
using fake::http_get;
using fake::wait_until;

class StatusTest : public fake::DaemonTest {
 protected:
  StatusTest() { gophers_.plug("g1"); }

  void start(const std::vector<std::string>& more = {}) {
    start_daemon(gophers_.config(), more);
    ASSERT_TRUE(wait_until([this] { return fake::HttpClient(status_socket()).connected(); }));
  }
  void start_served(const std::vector<std::string>& more = {}) {
    start_kubelet();
    start(more);
    ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy"));
    ASSERT_TRUE(becomes("registration", "registered"));
  }

  [[nodiscard]] nlohmann::json resource() const {
    const auto status =
        nlohmann::json::parse(http_body(status_socket(), "/status"), nullptr, false);
    return status.is_object() && !status["resources"].empty() ? status["resources"][0]
                                                              : nlohmann::json::object();
  }
  [[nodiscard]] bool becomes(const char* part, const std::string& state) const {
    return wait_until([&] {
      const auto now = resource();
      return now.contains(part) && now[part]["state"] == state;
    });
  }
  [[nodiscard]] bool metric(const std::string& line) const {
    return wait_until([&] {
      return http_body(status_socket(), "/metrics").find("\n" + line + "\n") != std::string::npos;
    });
  }

  fake::Gophers gophers_{dir_};
};

TEST_F(StatusTest, ReportsAddedAndRemovedUnits) {
  start_served();
  const auto first = resource();
  EXPECT_EQ(first["name"], fake::kGopher);
  EXPECT_EQ(first["units"][0]["id"], "g1");
  EXPECT_EQ(first["registration"]["streams"], 1);
  gophers_.plug("g2");
  ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(resource()["counts"]["healthy"], 2);
  gophers_.unplug("g1");
  ASSERT_TRUE(lists(fake::kGopher, "g1=Unhealthy g2=Healthy"));
  const auto last = resource();
  EXPECT_EQ(last["counts"]["unhealthy"], 1);
  EXPECT_EQ(last["units"][0]["reason"], "the device is gone");
}

TEST_F(StatusTest, MetricsCountAllocationsRegistrationsAndLists) {
  start_served();
  ASSERT_TRUE(kubelet_->allocate(fake::kGopher, {"g1"}));
  ASSERT_FALSE(kubelet_->allocate(fake::kGopher, {"none"}));
  const std::string labels = "{resource=\"example.com/gopher\"";
  EXPECT_TRUE(metric("patchbay_allocate_calls_total" + labels + ",result=\"succeeded\"} 1"));
  EXPECT_TRUE(metric("patchbay_allocate_calls_total" + labels + ",result=\"failed\"} 1"));
  EXPECT_TRUE(metric("patchbay_registrations_total" + labels + ",result=\"registered\"} 1"));
  EXPECT_TRUE(metric("patchbay_lists_sent_total" + labels + "} 1"));
  EXPECT_TRUE(metric("patchbay_resource_registered" + labels + "} 1"));
  EXPECT_TRUE(metric("patchbay_kubelet_up 1"));
}

TEST_F(StatusTest, MeasuresEventToListTime) {
  start_served();
  const std::string family = "patchbay_event_to_list_seconds";
  EXPECT_EQ(http_body(status_socket(), "/metrics").find("\n" + family), std::string::npos);
  gophers_.plug("g2");
  ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_TRUE(metric(family + "_count{resource=\"example.com/gopher\"} 1"));
  EXPECT_TRUE(metric(family + "_bucket{resource=\"example.com/gopher\",le=\"30\"} 1"));
  gophers_.unplug("g2");
  ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy g2=Unhealthy"));
  EXPECT_TRUE(metric(family + "_count{resource=\"example.com/gopher\"} 2"));
}

TEST_F(StatusTest, ListsEvents) {
  start_served();
  gophers_.plug("g2");
  ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy g2=Healthy"));
  ASSERT_TRUE(kubelet_->allocate(fake::kGopher, {"g2"}));
  std::string events;
  ASSERT_TRUE(wait_until([&] {
    events = http_body(status_socket(), "/events");
    return events.contains("\"kind\": \"allocated\"");
  })) << events;
  EXPECT_TRUE(events.contains("\"message\": \"resource ready\"")) << events;
  EXPECT_TRUE(events.contains("\"kind\": \"registered\"")) << events;
  EXPECT_TRUE(events.contains("\"unit\": \"g2\"")) << events;
}

TEST_F(StatusTest, IsReadyWhenKubeletHasList) {
  start_served();
  ASSERT_TRUE(wait_until([this] { return http_body(status_socket(), "/readyz") == "ready\n"; }))
      << http_get(status_socket(), "/readyz?verbose");
  EXPECT_EQ(http_body(status_socket(), "/healthz"), "ok\n");
}

TEST_F(StatusTest, IsNotReadyWhenKubeletRefuses) {
  start_kubelet();
  kubelet_->set_faults({.register_errors = 1'000'000});
  start();
  EXPECT_TRUE(becomes("registration", "backingOff"));
  const std::string answer = http_get(status_socket(), "/readyz");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_NE(answer.find("[-] example.com/gopher: registration failed: "), std::string::npos)
      << answer;
  EXPECT_NE(answer.find("not in the mood"), std::string::npos) << answer;
  EXPECT_EQ(http_body(status_socket(), "/healthz"), "ok\n");
}

TEST_F(StatusTest, IsReadyWithoutKubelet) {
  start();
  EXPECT_TRUE(wait_until([this] { return http_body(status_socket(), "/readyz") == "ready\n"; }));
  const auto status = nlohmann::json::parse(http_body(status_socket(), "/status"));
  EXPECT_FALSE(status["kubelet"]["reachable"].get<bool>());
  EXPECT_EQ(status["kubelet"]["directory"], kubelet_directory());
}

TEST_F(StatusTest, ReportsRejectedConfiguration) {
  start_served();
  dir_.write("config.yaml", "apiVersion: patchbay/v1\nkind: Config\nresources: 5\n");
  EXPECT_TRUE(metric("patchbay_config_last_reload_successful 0"));
  EXPECT_TRUE(metric("patchbay_config_reloads_total{result=\"rejected\"} 1"));
  const auto rejected =
      nlohmann::json::parse(http_body(status_socket(), "/status"))["configuration"];
  EXPECT_EQ(rejected["generation"], 1);
  EXPECT_NE(rejected["rejected"]["reason"].get<std::string>().find("config.yaml:3:12"),
            std::string::npos)
      << rejected;
  dir_.write("config.yaml", gophers_.config());
  EXPECT_TRUE(metric("patchbay_config_last_reload_successful 1"));
}

TEST_F(StatusTest, SecondDaemonTakesStatusSocketWhenFirstEnds) {
  start_served();
  const fake::Process second({fake::patchbay_binary(), "run", "--config", dir_ / "config.yaml",
                              "--kubelet-dir", kubelet_directory(), "--status-socket",
                              status_socket(), "--log-format", "json", "--log-level", "debug"});
  ASSERT_TRUE(second.wait_for_line("status socket is owned by another instance"));
  EXPECT_EQ(resource()["registration"]["state"], "registered");
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_TRUE(becomes("registration", "registered"));
}

TEST_F(StatusTest, HidesDevicesOverTcp) {
  const uint16_t port = fake::free_port();
  start_served({"--listen", "127.0.0.1:" + std::to_string(port)});
  EXPECT_TRUE(http_get(port, "/metrics").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(http_get(port, "/status").starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(http_get(port, "/metrics").find("g1"), std::string::npos);
}

/// Another daemon has replaced the socket at this path. The first daemon does not remove that
/// socket when it ends.
TEST_F(StatusTest, KeepsStatusSocketOfOtherDaemon) {
  start_served();
  std::filesystem::remove(status_socket());
  const auto other = http::listen_unix(status_socket());
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_TRUE(fake::HttpClient(status_socket()).connected());
}

/// The kubelet's probe over TCP is answered, although the status socket cannot be created.
TEST_F(StatusTest, AnswersLivenessProbeWhileStatusSocketHangs) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  std::filesystem::create_directory(dir_ / "run");
  fake::HangingMount hangs(fake::HangingMount::Over{dir_ / "run"});
  const uint16_t port = fake::free_port();
  start_kubelet();
  start_daemon(gophers_.config(), {"--listen", "127.0.0.1:" + std::to_string(port)});
  ASSERT_TRUE(lists(fake::kGopher, "g1=Healthy"));
  ASSERT_TRUE(wait_until([port] { return fake::HttpClient(port).connected(); }));
  EXPECT_EQ(http_body(port, "/healthz"), "ok\n");
  EXPECT_TRUE(daemon_->wait_for_line("status.sock is unresponsive: its file system hangs"));
  EXPECT_EQ(http_body(port, "/healthz"), "ok\n");
  EXPECT_TRUE(kubelet_->allocate(fake::kGopher, {"g1"}));
  hangs.let_go();  // LeakSanitizer cannot stop a thread that hangs in the kernel.
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(StatusTest, StatusSocketRefusesConnectionsAfterShutdown) {
  start_served();
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_FALSE(fake::HttpClient(status_socket()).connected());
}

}  // namespace
}  // namespace patchbay
