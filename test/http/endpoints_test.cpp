#include "http/endpoints.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/http_client.h"
#include "fake/temp_dir.h"
#include "http/server.h"
#include "inventory/inventory_fixture.h"
#include "render/page.h"

namespace patchbay::http {
namespace {

using fake::http_body;
using fake::http_get;

/// A status source that answers at once. The first `unanswered` requests get no answer.
class Source final : public status::StatusSource {
 public:
  void request_status(status::StatusRequest /*request*/,
                      std::function<void(status::NodeStatusPtr)> done) override {
    if (unanswered > 0) {
      --unanswered;
      return;
    }
    auto status = std::make_shared<status::NodeStatus>();
    status->program.node = "bench-1";
    status->kubelet.directory = "/k";
    status->plan = plan;
    done(std::move(status));
  }
  void request_unmatched(std::function<void(status::UnmatchedReportPtr)> done) override {
    done(std::make_shared<const status::UnmatchedReport>(unmatched));
  }
  void check_liveness(std::function<void()> done) override { done(); }

  std::atomic<size_t> unanswered = 0;
  rules::PlanPtr plan;
  status::UnmatchedReport unmatched{};
};

class EndpointsTest : public ::testing::Test {
 protected:
  void start(Endpoints::Options options = {}) {
    endpoints_ = Endpoints::start(source_, journal_, counters_, options);
    endpoints_->serve_unix(path_);
    endpoints_->serve_tcp({.host = "127.0.0.1", .port = port_});
    ASSERT_TRUE(fake::wait_until([this] { return fake::HttpClient(path_).connected(); }));
    ASSERT_TRUE(fake::wait_until([this] { return fake::HttpClient(port_).connected(); }));
  }

  void happen(std::string_view message, log::EventKind kind = log::EventKind::unit_added) {
    journal_.record({.message = message, .event = kind}, {});
  }

  const uint16_t port_ = fake::free_port();
  fake::TempDir dir_;
  std::string path_ = dir_ / "s.sock";
  Source source_;
  status::Journal journal_;
  status::Counters counters_;
  std::unique_ptr<Endpoints> endpoints_;
};

TEST_F(EndpointsTest, StatusAndEventsAreServedOnlyAtStatusSocket) {
  start();
  for (const char* open : {"/metrics", "/healthz"}) {
    EXPECT_TRUE(http_get(path_, open).starts_with("HTTP/1.1 200 ")) << open;
    EXPECT_TRUE(http_get(port_, open).starts_with("HTTP/1.1 200 ")) << open;
  }
  for (const char* local : {"/status", "/events"}) {
    EXPECT_TRUE(http_get(path_, local).starts_with("HTTP/1.1 200 ")) << local;
    EXPECT_TRUE(http_get(port_, local).starts_with("HTTP/1.1 404 ")) << local;
  }
  EXPECT_TRUE(http_get(path_, "/none").starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(http_body(path_, "/healthz"), "ok\n");
}

TEST_F(EndpointsTest, RestrictedPathsOverTcpReferToStatusSocket) {
  start();
  for (const char* path : {"/", "/page.css", "/page.js", "/status", "/unmatched", "/events"}) {
    EXPECT_TRUE(http_get(port_, path).ends_with("or start with --page\n")) << path;
  }
  EXPECT_TRUE(http_get(port_, "/none").ends_with("/status, /unmatched, /events\n"));
}

/// The status already has a newer plan than the report of unmatched groups, as after a reload.
TEST_F(EndpointsTest, UnmatchedGroupsBelongToComparedPlan) {
  const std::string first = "  - {name: a.io/first, match: {static: a}}\n";
  source_.unmatched.plan =
      inventory::plan_of(first + "  - {name: a.io/second, match: {glob: /dev/none*}}\n");
  source_.unmatched.groups.push_back({.miss = {.rule = {.resource = 1, .group = 0}}});
  source_.plan = inventory::plan_of(first);
  start();
  const std::string body = http_body(path_, "/unmatched");
  EXPECT_TRUE(body.contains("\"resource\":\"a.io/second\"")) << body;
}

TEST_F(EndpointsTest, RejectsParametersThatAreNoNumbers) {
  start();
  for (const char* query :
       {"/status?units=-1", "/status?units=1.5", "/status?units=99999999999999999999",
        "/status?from=x", "/status?refused=all", "/status?sort=name", "/events?after=x"}) {
    EXPECT_TRUE(http_get(path_, query).starts_with("HTTP/1.1 400 Bad Request")) << query;
  }
  EXPECT_TRUE(http_get(path_, "/status?units=18446744073709551615&from=1&refused=false")
                  .starts_with("HTTP/1.1 200 "));
}

TEST_F(EndpointsTest, RejectsParameterAfterThatIsNoNumber) {
  start();
  happen("unit offered");
  for (const char* after : {"x", "-5", "x-5", "5-", "-", "1-2-3"}) {
    const std::string answer = http_get(path_, std::string("/events?after=") + after);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 Bad Request\r\n")) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\n'after' must be a number\n")) << answer;
  }
}

TEST_F(EndpointsTest, ServesPageOverTcpWhenEnabled) {
  start({.page_on_network = true});
  EXPECT_TRUE(http_get(port_, "/status").starts_with("HTTP/1.1 200 "));
  for (const auto& [path, type] : {std::pair("/", "text/html"), std::pair("/page.css", "text/css"),
                                   std::pair("/page.js", "text/javascript")}) {
    EXPECT_EQ(http_body(port_, path), render::page_file(path)->text) << path;
    const std::string answer = http_get(port_, path);
    EXPECT_NE(answer.find("Content-Type: " + std::string(type) +
                          "; charset=utf-8\r\nCache-Control: no-store\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "Content-Security-Policy: default-src 'none'; img-src data:; "
                          "style-src 'self'; script-src 'self'; connect-src 'self'; "
                          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
                          "Referrer-Policy: no-referrer\r\n"),
              std::string::npos)
        << answer.substr(0, 1000);
  }
}

TEST_F(EndpointsTest, ReadyzAnswers503WithReason) {
  start();
  const std::string answer = http_get(path_, "/readyz");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_TRUE(
      answer.ends_with("\r\n\r\n[-] scan: the first scan of the node is not complete\nnot ready\n"))
      << answer;
  EXPECT_TRUE(http_get(path_, "/readyz?verbose").find("[+] configuration: loaded\n") !=
              std::string::npos);
}

/// Otherwise, clients that send requests without a pause could make the Pod unready.
TEST_F(EndpointsTest, ManyPendingRequestsDoNotAffectProbes) {
  const size_t limit = Server::Limits{}.waiting_requests;
  start();
  source_.unanswered = limit;
  std::vector<fake::HttpClient> waiting;
  for (size_t i = 0; i < limit; ++i) {
    waiting.emplace_back(path_);
    waiting.back().send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  ASSERT_TRUE(fake::wait_until([this] { return source_.unanswered == 0; }));
  EXPECT_TRUE(http_get(path_, "/metrics").ends_with("\r\ntoo many concurrent requests\n"));
  EXPECT_TRUE(http_get(path_, "/readyz").ends_with("not ready\n"));
  EXPECT_EQ(http_body(path_, "/healthz"), "ok\n");
}

TEST_F(EndpointsTest, MetricsHaveContentTypeOfPrometheus) {
  start();
  EXPECT_NE(http_get(path_, "/metrics").find("Content-Type: text/plain; version=0.0.4"),
            std::string::npos);
}

TEST_F(EndpointsTest, EventsListsRecordedEvents) {
  start();
  happen("unit offered");
  happen("unit dropped", log::EventKind::unit_removed);
  EXPECT_NE(http_body(path_, "/events").find("\"number\": 1"), std::string::npos);
  const std::string after = http_body(path_, "/events?after=1");
  EXPECT_EQ(after.find("\"number\": 1"), std::string::npos) << after;
  EXPECT_NE(after.find("\"kind\": \"unitRemoved\""), std::string::npos) << after;
}

TEST_F(EndpointsTest, ForeignHostIsRejectedOnLoopback) {
  for (const char* host : {"127.0.0.1", "::ffff:127.0.0.1", "::FFFF:7f00:1"}) {
    const uint16_t port = fake::free_port();
    const auto endpoints = Endpoints::start(source_, journal_, counters_, {});
    endpoints->serve_tcp({.host = host, .port = port});
    ASSERT_TRUE(fake::wait_until([port] { return fake::HttpClient(port).connected(); })) << host;
    fake::HttpClient client(port);
    client.send("GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n");
    EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 403 ")) << host;
    EXPECT_EQ(http_body(port, "/healthz"), "ok\n") << host;
  }
}

TEST_F(EndpointsTest, MayBeDestroyedDuringStart) {
  for (int i = 0; i < 200; ++i) {
    const auto endpoints = Endpoints::start(source_, journal_, counters_, {});
    endpoints->serve_unix(path_);
    endpoints->serve_tcp({.host = "127.0.0.1", .port = port_});
  }
}

TEST_F(EndpointsTest, RemovesSocketAtShutdown) {
  start();
  endpoints_.reset();
  EXPECT_FALSE(fake::HttpClient(path_).connected());
  EXPECT_NE(access(path_.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace patchbay::http
