#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "fake/http_client.h"
#include "fake/temp_dir.h"
#include "fuzz/must.h"
#include "fuzz/pieces.h"
#include "fuzz/targets.h"
#include "http/endpoints.h"
#include "http/listening.h"
#include "http/server.h"
#include "inventory/inventory.h"
#include "rules/compiled.h"
#include "status/counters.h"
#include "status/journal.h"
#include "status/node_status.h"

namespace patchbay::fuzz {
namespace {

/// Most bytes of an input: more than the maximum size of a head, and less than a socket buffer.
constexpr size_t kMostBytes = size_t{64} << 10U;

status::NodeStatus status_of_a_node() {
  const auto compiled =
      rules::compile_resources("  - {name: a.io/line, match: {static: [l1, l2]}}\n");
  must(compiled.plan != nullptr, "a plan", compiled.printed);
  status::NodeStatus status;
  status.program.node = "bench-1";
  status.kubelet.directory = "/var/lib/kubelet/device-plugins";
  inventory::Inventory inventory(compiled.plan);
  for (const char* name : {"l1", "l2"}) {
    DeviceFacts facts;
    facts.key = static_key(name);
    facts.kind = DeviceKind::static_name;
    facts.name = name;
    inventory.apply(std::make_shared<const DeviceFacts>(std::move(facts)));
  }
  status.plan = inventory.plan();
  for (const auto& resource : inventory.resolve({}).resources) {
    status.resources.push_back({.resolved = resource, .registration = {}});
  }
  return status;
}

/// A status source that always answers at once with the same status.
class FixedStatus final : public status::StatusSource {
 public:
  void request_status(status::StatusRequest /*request*/,
                      std::function<void(status::NodeStatusPtr)> done) override {
    done(status_);
  }
  void request_unmatched(std::function<void(status::UnmatchedReportPtr)> done) override {
    done(std::make_shared<const status::UnmatchedReport>());
  }
  void check_liveness(std::function<void()> done) override { done(); }

 private:
  status::NodeStatusPtr status_ = std::make_shared<const status::NodeStatus>(status_of_a_node());
};

/// Sends requests to a Unix socket. When a later client gets its answer, earlier clients have
/// theirs.
class Peer {
 public:
  explicit Peer(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Checks that the server is alive. When this returns, it has answered all earlier requests that
  /// it can answer.
  void await_answer() {
    must(fake::http_body(path_, "/healthz") == "ok\n", "it answers others as before");
  }

 private:
  std::string path_;
};

/// The HTTP server with the daemon's endpoints.
class DaemonEnd {
 public:
  DaemonEnd() {
    for (int number = 0; number < 3; ++number) {
      journal_.record({.level = log::Level::info, .message = "unit is healthy again"}, {});
    }
    endpoints_ = http::Endpoints::start(source_, journal_, counters_, {});
    endpoints_->serve_unix(peer_.path());
    must(fake::wait_until([this] { return fake::HttpClient(peer_.path()).connected(); }),
         "they listen");
  }
  Peer& peer() { return peer_; }

 private:
  fake::TempDir directory_;
  FixedStatus source_;
  status::Journal journal_;
  status::Counters counters_;
  Peer peer_{directory_ / "local"};
  std::unique_ptr<http::Endpoints> endpoints_;
};

/// The HTTP server without the endpoints, as on a local port. Its answer repeats the request.
class LoopbackEnd {
 public:
  LoopbackEnd() {
    server_ = http::Server::start(
        {}, {.answer = [](const http::Request& request, const http::Server::Reply& reply) {
          reply(answer_to(request));
        }});
    auto socket = http::listen_unix(peer_.path());
    must(socket.has_value(), "it listens");
    server_->listen(*std::move(socket), http::Origin::network, true);
  }
  Peer& peer() { return peer_; }

 private:
  static http::Answer answer_to(const http::Request& request) {
    must(request.origin == http::Origin::network, "who came by this door is not of another");
    if (request.path == "/healthz") return {.body = "ok\n"};
    std::string body = request.path + '\n';
    for (const auto& [name, value] : request.query) body.append(name).append("=").append(value);
    return {.body = std::move(body)};
  }

  fake::TempDir directory_;
  Peer peer_{directory_ / "loopback"};
  std::unique_ptr<http::Server> server_;
};

/// Whether an answer of the server may have a header with this name.
bool is_header(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"Allow", "Cache-Control", "Connection", "Content-Length", "Content-Security-Policy",
       "Content-Type", "Date", "Referrer-Policy", "Retry-After", "X-Content-Type-Options"});
  return std::ranges::find(kNames, name) != kNames.end();
}

/// Checks that the answer begins with a head that contains nothing of the request.
void check_answer(std::string_view answer) {
  if (answer.empty()) return;
  must(answer.starts_with("HTTP/"), "an answer is of HTTP", answer);
  const std::string_view head = answer.substr(0, answer.find("\r\n\r\n"));
  must(head.size() < answer.size(), "an answer has a whole head", answer);
  const auto lines = split(head, '\n');
  must(lines.front().starts_with("HTTP/1.1 "), "the version is ours", head);
  const std::string_view status = lines.front().substr(9);
  must(status.starts_with("200 ") || status.starts_with("400 ") || status.starts_with("403 ") ||
           status.starts_with("404 ") || status.starts_with("405 ") || status.starts_with("503 "),
       "the status is one that is documented", head);
  for (size_t i = 1; i < lines.size(); ++i) {
    must(is_header(lines[i].substr(0, lines[i].find(':'))), "the head is ours", head);
  }
}

void talk(Peer& peer, std::string_view bytes) {
  fake::HttpClient client(peer.path());
  must(client.connected(), "who comes is let in");
  for (const std::string_view piece : pieces_of(bytes)) {
    if (!client.send(std::string(piece))) break;  // The server has closed the connection.
    peer.await_answer();
  }
  client.end();
  check_answer(client.read_all());
}

}  // namespace

void examine_http(std::string_view data) {
  if (data.empty() || data.size() > kMostBytes) return;
  static DaemonEnd daemon;
  static LoopbackEnd loopback;
  if (data.front() == 'l') talk(daemon.peer(), data.substr(1));
  if (data.front() == 'n') talk(loopback.peer(), data.substr(1));
}

}  // namespace patchbay::fuzz
