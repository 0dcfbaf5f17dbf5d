#include "kube/agent.h"

#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "kube/daemon_end.h"
#include "kube/fake_api_server.h"

namespace patchbay::kube {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Failure = FakeApiServer::Failure;

const std::string kSucceeded = R"({"wrote":"succeeded"})";

class AgentTest : public testing::Test {
 protected:
  AgentTest() {
    signal(SIGPIPE, SIG_IGN);
    api = std::make_unique<FakeApiServer>();
  }
  ~AgentTest() override { stop(); }

  void start() {
    std::array<int, 2> pair{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    daemon.emplace(UniqueFd(pair[0]));
    agent_ = std::thread([this, socket = pair[1]] {
      const AgentOptions options{.pool = kPool,
                                 .server = server.value_or(api->address()),
                                 .timeouts = timeouts,
                                 .backoff = backoff};
      const auto result = run_agent(UniqueFd(socket), options);
      error = result ? "" : result.error().message;
    });
  }

  /// Starts the agent and stores a pool as number 1.
  void start_with(const std::vector<std::string>& slices) {
    start();
    daemon->send(R"({"hold": false})");
    daemon->want(1, slices);
    ASSERT_EQ(daemon->wait_for("stored"), R"({"stored":1})");
  }

  void stop() {
    daemon.reset();
    if (agent_.joinable()) agent_.join();
  }

  /// Waits until the store has these slices, in the order of their names.
  [[nodiscard]] bool wait_for_slices(const std::vector<std::string>& expected) const {
    return api->wait_for_store([&](const SliceStore& store) {
      std::vector<std::string> slices;
      for (const auto& [name, object] : store.objects()) {
        slices.emplace_back();
        for (const Json& device : object["spec"]["devices"]) {
          slices.back() += device["name"].get<std::string>();
        }
      }
      return slices == expected;
    });
  }

  [[nodiscard]] size_t count(const std::string& request) const {
    return api->requests().count(
        [&](const std::string& line) { return line.starts_with(request); });
  }

  [[nodiscard]] bool wait_for_request(const std::string& request, size_t times) const {
    return api->requests().wait_until([&](const auto& all) {
      return std::ranges::count_if(all, [&](const std::string& line) {
               return line.starts_with(request);
             }) >= static_cast<std::ptrdiff_t>(times);
    });
  }

  void remove_first_slice() const {
    api->with_store([](SliceStore& store) { store.remove(store.objects().begin()->first); });
  }

  std::unique_ptr<FakeApiServer> api;
  std::optional<Server> server;  // Instead of the address of `api`.
  Timeouts timeouts{};
  Backoff::Limits backoff{.min = Milliseconds(5), .max = Milliseconds(50)};
  std::optional<DaemonEnd> daemon;
  std::string error;  // Read it after stop().

 private:
  std::thread agent_;
};

TEST_F(AgentTest, StoresThePool) {
  start_with({"ab", "c"});
  EXPECT_TRUE(wait_for_slices({"ab", "c"}));
  EXPECT_EQ(daemon->lines.all(), (std::vector<std::string>{R"({"api":"up"})", kSucceeded,
                                                           kSucceeded, R"({"stored":1})"}));
  EXPECT_EQ(count("POST"), 2U);
  EXPECT_EQ(count("GET /api/v1/nodes/node-1"), 1U);
  stop();
  EXPECT_EQ(error, "");
  EXPECT_TRUE(wait_for_slices({"ab", "c"})) << "a stop leaves the slices";
}

TEST_F(AgentTest, TakesOverStoredSlices) {
  start_with({"ab", "c"});
  stop();
  start_with({"ab", "c"});
  EXPECT_EQ(count("POST"), 2U);
  EXPECT_EQ(count("PUT"), 0U);
}

TEST_F(AgentTest, WritesNothingOnHold) {
  start();
  daemon->want(1, {"a"});
  daemon->send(R"({"get": 1, "namespace": "lab", "name": "none"})");
  EXPECT_NE(daemon->wait_for("got"), "");
  EXPECT_EQ(count("POST"), 0U);
  daemon->send(R"({"hold": false})");
  EXPECT_EQ(daemon->wait_for("stored"), R"({"stored":1})");
  daemon->send(R"({"hold": true})");
  daemon->want(2, {"ab"});
  daemon->send(R"({"get": 2, "namespace": "lab", "name": "none"})");
  EXPECT_NE(daemon->wait_for(R"("got":2)"), "");
  EXPECT_EQ(count("PUT"), 0U);
}

TEST_F(AgentTest, RestoresSlicesThatOthersDelete) {
  start_with({"ab", "c"});
  remove_first_slice();
  EXPECT_TRUE(wait_for_slices({"ab", "c"}));
  EXPECT_EQ(count("GET /api/v1/nodes/node-1"), 2U) << "the Node may be a new one";
}

TEST_F(AgentTest, ReadsAClaim) {
  api->add_claim("/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/uart",
                 {{"metadata", {{"uid", "u1"}}}});
  start();
  daemon->send(R"({"get": 7, "namespace": "lab", "name": "uart"})");
  EXPECT_EQ(daemon->wait_for("\"got\":7"), R"({"claim":{"metadata":{"uid":"u1"}},"got":7})");
  daemon->send(R"({"get": 8, "namespace": "lab", "name": "none"})");
  EXPECT_EQ(daemon->wait_for("\"got\":8"),
            R"({"error":"status 404: \"none\" not found","got":8,"status":404})");
  daemon->send(R"({"get": 9, "namespace": "../..", "name": "none"})");
  EXPECT_EQ(daemon->wait_for("\"got\":9"),
            R"({"error":"not a name of a ResourceClaim","got":9,"status":0})");
}

TEST_F(AgentTest, ReadsAReplacedToken) {
  start_with({"a"});
  api->set_token("token-2", true);
  daemon->want(2, {"ab"});
  EXPECT_EQ(daemon->wait_for("\"stored\":2"), R"({"stored":2})");
  const auto is_down = [](const std::string& line) {
    return line.find("down") != std::string::npos;
  };
  EXPECT_EQ(daemon->lines.count(is_down), 0U);
}

TEST_F(AgentTest, ReportsARejectedTokenUntilItIsReplaced) {
  start_with({"a"});
  api->set_token("token-2", false);
  daemon->want(2, {"ab"});
  EXPECT_EQ(daemon->wait_for("down"), R"({"api":"down","reason":"status 401: Unauthorized"})");
  api->set_token("token-3", true);
  EXPECT_EQ(daemon->wait_for("\"stored\":2"), R"({"stored":2})");
}

TEST_F(AgentTest, ListsAgainAfterAConflict) {
  start_with({"a"});
  api->fail({.method = "PUT", .path_part = "", .status = 409});
  api->fail({.method = "PUT", .path_part = "", .status = 404});
  daemon->want(2, {"ab"});
  EXPECT_EQ(daemon->wait_for("\"stored\":2"), R"({"stored":2})");
  EXPECT_EQ(count("PUT"), 3U);
  EXPECT_EQ(count("GET /apis"), 3U);
  EXPECT_TRUE(wait_for_slices({"ab"}));
}

TEST_F(AgentTest, ListsAgainAfterALostAnswer) {
  start();
  api->fail({.method = "POST", .path_part = "", .status = 0});
  daemon->send(R"({"hold": false})");
  daemon->want(1, {"a", "b"});
  EXPECT_EQ(daemon->wait_for("stored"), R"({"stored":1})");
  EXPECT_EQ(count("POST"), 2U) << "the first slice is not created twice";
  EXPECT_TRUE(wait_for_slices({"a", "b"}));
}

TEST_F(AgentTest, ReportsARejectedPoolOnce) {
  start();
  api->fail({.method = "POST", .path_part = "", .status = 422, .times = 1});
  daemon->send(R"({"hold": false})");
  daemon->want(1, {"a"});
  EXPECT_EQ(daemon->wait_for("\"rejected\":"),
            R"({"reason":"status 422: failure on demand","rejected":1})");
  daemon->send(R"({"get": 1, "namespace": "lab", "name": "none"})");
  EXPECT_NE(daemon->wait_for("got"), "");
  EXPECT_EQ(count("POST"), 1U);
  EXPECT_EQ(daemon->wait_for("wrote"), R"({"wrote":"rejected"})");
  daemon->want(2, {"b"});
  EXPECT_EQ(daemon->wait_for("stored"), R"({"stored":2})");
}

TEST_F(AgentTest, ReportsAStoredPoolThatCannotBeRestored) {
  start_with({"a"});
  api->fail({.method = "POST", .path_part = "", .status = 422});
  remove_first_slice();
  EXPECT_EQ(daemon->wait_for("\"rejected\":"),
            R"({"reason":"status 422: failure on demand","rejected":1})");
}

TEST_F(AgentTest, IsUpOnHoldAfterAFailedWrite) {
  start_with({"a"});
  api->fail({.method = "PUT", .path_part = "", .status = 500, .times = 1000});
  daemon->want(2, {"ab"});
  EXPECT_EQ(daemon->wait_for("down"), R"({"api":"down","reason":"status 500: failure on demand"})");
  daemon->send(R"({"hold": true})");
  EXPECT_EQ(daemon->wait_for("up", 1), R"({"api":"up"})");
}

using Lines = std::vector<std::string>;

const char* const kDenied = R"({"api":"down","reason":"status 403: failure on demand"})";

/// Each of these requests can lack a permission for some time.
class AgentDeniedTest : public AgentTest, public testing::WithParamInterface<Failure> {};

TEST_P(AgentDeniedTest, GoesOnWhenThePermissionIsGranted) {
  api->fail(GetParam());
  start();
  daemon->send(R"({"hold": false})");
  daemon->want(1, {"a"});
  EXPECT_EQ(daemon->wait_for("down"), kDenied);
  const auto lines = daemon->lines.all();
  const auto down = std::ranges::find(lines, kDenied) - lines.begin();
  EXPECT_EQ(daemon->wait_for("api", static_cast<size_t>(down) + 1), R"({"api":"up"})")
      << "the reason is reported once";
  EXPECT_EQ(daemon->wait_for("stored"), R"({"stored":1})");
  EXPECT_TRUE(wait_for_slices({"a"}));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, AgentDeniedTest,
    testing::Values(Failure{.method = "GET", .path_part = "slices", .status = 403, .times = 3},
                    Failure{.method = "WATCH", .path_part = "", .status = 403, .times = 3},
                    Failure{.method = "GET", .path_part = "nodes", .status = 403, .times = 3},
                    Failure{.method = "POST", .path_part = "", .status = 403, .times = 3}),
    [](const auto& test) { return test.param.method + test.param.path_part; });

TEST_F(AgentTest, IsUpWhenTheListWorksAgainDuringAWatch) {
  start_with({"a"});
  EXPECT_TRUE(wait_for_request("WATCH", 1));
  api->fail({.method = "PUT", .path_part = "", .status = 409});
  api->fail({.method = "GET", .path_part = "slices", .status = 403});
  daemon->want(2, {"ab"});
  EXPECT_NE(daemon->wait_for("\"stored\":2"), "");
  EXPECT_EQ(daemon->lines.all(),
            (Lines{R"({"api":"up"})", kSucceeded, R"({"stored":1})", R"({"wrote":"failed"})",
                   kDenied, R"({"api":"up"})", kSucceeded, R"({"stored":2})"}));
  EXPECT_EQ(count("WATCH"), 1U);
}

TEST_F(AgentTest, ReportsOnceThatTheClusterLacksTheApi) {
  api->fail({.method = "GET", .path_part = "resourceslices", .status = 404, .times = 3});
  start();
  daemon->send(R"({"hold": false})");
  daemon->want(1, {"a"});
  EXPECT_EQ(daemon->wait_for("stored"), R"({"stored":1})");
  EXPECT_EQ(daemon->wait_for("up"), R"({"api":"up"})");
  EXPECT_EQ(daemon->lines.all().front(),
            R"({"api":"down","reason":"this cluster has no resource.k8s.io/v1: Kubernetes 1.34 )"
            R"(or newer is needed for serve: dra"})");
  EXPECT_EQ(daemon->lines.count([](const auto& line) { return line.contains("down"); }), 1U);
  EXPECT_EQ(count("GET /apis"), 4U);
}

/// A watch lasts at least 300 s, which the fake server checks. So this is an hour.
TEST_F(AgentTest, SendsOnlyWatchesForAnHourWithoutChanges) {
  start_with({"a"});
  EXPECT_TRUE(wait_for_request("WATCH", 1));
  const size_t before = api->requests().size();
  const size_t watches = count("WATCH");
  for (size_t i = 1; i <= 12; ++i) {
    api->expire_watches();
    ASSERT_TRUE(wait_for_request("WATCH", watches + i));
  }
  EXPECT_EQ(api->requests().size() - before, 12U);
  EXPECT_EQ(daemon->lines.all(), (Lines{R"({"api":"up"})", kSucceeded, R"({"stored":1})"}));
}

TEST_F(AgentTest, ObeysRetryAfter) {
  start_with({"a"});
  api->fail({.method = "PUT", .path_part = "", .status = 429, .retry_after = "2"});
  const auto before = std::chrono::steady_clock::now();
  daemon->want(2, {"ab"});
  EXPECT_EQ(daemon->wait_for("\"stored\":2"), R"({"stored":2})");
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
}

TEST_F(AgentTest, RetriesAfterServerErrors) {
  start();
  api->fail({.method = "POST", .path_part = "", .status = 500, .times = 3});
  daemon->send(R"({"hold": false})");
  daemon->want(1, {"a"});
  EXPECT_EQ(daemon->wait_for("down"), R"({"api":"down","reason":"status 500: failure on demand"})");
  EXPECT_EQ(daemon->wait_for("stored"), R"({"stored":1})");
  EXPECT_EQ(daemon->wait_for("up", 1), R"({"api":"up"})");
  EXPECT_EQ(count("POST"), 4U);
}

TEST_F(AgentTest, GivesUpASlowAnswer) {
  timeouts.answer = Milliseconds(3000);
  start_with({"a"});
  api->fail({.method = "PUT", .path_part = "", .status = 500, .slow = true});
  daemon->want(2, {"ab"});
  const std::string line = daemon->wait_for("down");
  EXPECT_NE(line.find("no answer in time, or the connection was closed"), std::string::npos)
      << line;
  EXPECT_EQ(daemon->wait_for("\"stored\":2"), R"({"stored":2})");
}

TEST_F(AgentTest, FollowsAWatchThatWasCutInsideAnEvent) {
  start_with({"a"});
  remove_first_slice();
  EXPECT_TRUE(wait_for_slices({"a"})) << "the watch has delivered an event";
  api->cut_next_event();
  remove_first_slice();
  EXPECT_TRUE(wait_for_slices({"a"}));
  EXPECT_EQ(count("WATCH"), 2U);
  EXPECT_EQ(count("GET /apis"), 1U) << "no other list";
}

TEST_F(AgentTest, ListsAgainIfTheServerHasForgottenTheChanges) {
  api->fail({.method = "WATCH", .path_part = "", .status = 410});
  start_with({"a"});
  EXPECT_TRUE(wait_for_request("WATCH", 2));
  api->compact();
  EXPECT_TRUE(wait_for_request("WATCH", 3));
  EXPECT_EQ(count("GET /apis"), 3U);
  remove_first_slice();
  EXPECT_TRUE(wait_for_slices({"a"}));
}

TEST_F(AgentTest, WatchesAgainAfterSilence) {
  timeouts.silence = Milliseconds(2000);
  start_with({"a"});
  EXPECT_TRUE(wait_for_request("WATCH", 3));
  EXPECT_EQ(daemon->lines.all(), (Lines{R"({"api":"up"})", kSucceeded, R"({"stored":1})"}));
  remove_first_slice();
  EXPECT_TRUE(wait_for_slices({"a"}));
}

TEST_F(AgentTest, ReportsDroppedFields) {
  api->with_store([](SliceStore& store) { store.unknown_field = "taints"; });
  start();
  daemon->send(R"({"hold": false})");
  daemon->send(R"({"wanted": 1, "slices": 1})");
  daemon->send(R"({"devices": [{"name": "a", "taints": []}]})");
  EXPECT_EQ(daemon->wait_for("stored"), R"({"dropped":["spec.devices[].taints"],"stored":1})");
  EXPECT_EQ(count("PUT"), 0U);
}

TEST_F(AgentTest, GoesOnWhenTheServerIsBack) {
  start_with({"a"});
  api->stop();
  daemon->want(2, {"ab"});
  const std::string unreachable = R"({"api":"down","reason":")" + api->address().url +
                                  R"(: cannot connect; check the address and the network"})";
  EXPECT_EQ(daemon->wait_for("cannot connect"), unreachable);
  api->start();
  EXPECT_EQ(daemon->wait_for("\"stored\":2"), R"({"stored":2})");
  remove_first_slice();
  EXPECT_TRUE(wait_for_slices({"ab"})) << "the watch works again";
}

TEST_F(AgentTest, RefusesAServerThatTheCaDoesNotKnow) {
  const FakeApiServer other;
  server = api->address();
  server->ca_file = other.address().ca_file;
  start();
  EXPECT_EQ(daemon->wait_for("api"), R"({"api":"down","reason":")" + server->url +
                                         ": certificate not verified by " + server->ca_file +
                                         R"(; check --api-server and --api-ca"})");
  EXPECT_EQ(api->requests().size(), 0U);
}

TEST_F(AgentTest, RefusesACertificateOfAnotherName) {
  server = api->address();
  server->url = "https://localhost:" + std::to_string(api->port());
  start();
  EXPECT_NE(daemon->wait_for("api").find("certificate not verified"), std::string::npos);
  EXPECT_EQ(api->requests().size(), 0U);
}

TEST_F(AgentTest, NamesAMissingFile) {
  server = api->address();
  server->token_file = "/nonexistent/token";
  start();
  EXPECT_EQ(daemon->wait_for("api"),
            R"({"api":"down","reason":"/nonexistent/token: No such file or directory"})");
}

class AgentMessageTest : public AgentTest, public testing::WithParamInterface<const char*> {};

TEST_P(AgentMessageTest, EndsAtABadMessage) {
  start();
  daemon->send(GetParam());
  stop();
  EXPECT_TRUE(error.starts_with("message of the daemon: not understood: ")) << error;
}

INSTANTIATE_TEST_SUITE_P(Lines, AgentMessageTest,
                         testing::Values("", "{", "[]", "{}", R"({"wanted": 1})",
                                         R"({"wanted": "1", "slices": 1})", R"({"hold": 1})",
                                         R"({"get": "a", "namespace": "n", "name": "n"})",
                                         R"({"get": 1, "namespace": "n"})"));

TEST_F(AgentTest, EndsAtALineThatIsNoSlice) {
  start();
  daemon->send(R"({"wanted": 7, "slices": 1})");
  daemon->send(R"({"hold": false})");
  stop();
  EXPECT_TRUE(error.ends_with("key 'devices' not found")) << error;
}

}  // namespace
}  // namespace patchbay::kube
