#include "http/endpoints.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/log.h"
#include "base/whole_number.h"
#include "http/server.h"
#include "http/status_socket.h"
#include "render/metrics.h"
#include "render/page.h"
#include "render/rule_json.h"
#include "render/status_json.h"
#include "status/readiness.h"

namespace patchbay::http {
namespace {

/// How often the path of the status socket is checked and a port that is in use is retried.
constexpr std::chrono::seconds kRetryPeriod{10};
/// After this time without an answer, a file system hangs.
constexpr std::chrono::seconds kHangTimeout{2};

constexpr const char* kJson = "application/json";

/// Paths whose answers name devices. The page reads all of them.
constexpr std::array<std::string_view, 3> kDevicePaths{"/status", "/unmatched", "/events"};

Answer device_paths_disabled() {
  return {
      .status = 404,
      .body = "this endpoint exposes device names: use the status socket, or start with --page\n"};
}

Answer not_a_number(const std::string& name) {
  return {.status = 400, .body = "'" + name + "' must be a number\n"};
}

Answer not_found() {
  return {.status = 404,
          .body = "paths: /, /metrics, /healthz, /readyz, /status, /unmatched, /events\n"};
}

Answer ready_answer(const status::NodeStatus& status, bool verbose) {
  Answer answer;
  for (const status::ReadinessCheck& check : status::readiness(status)) {
    if (!check.ok) answer.status = 503;
    if (check.ok && !verbose) continue;
    answer.body += fmt::format("[{}] {}: {}\n", check.ok ? '+' : '-', check.name, check.text);
  }
  answer.body += answer.status == 200 ? "ready\n" : "not ready\n";
  return answer;
}

Answer page_answer(const render::PageFile& file) {
  return {.type = std::string(file.type),
          .body = std::string(file.text),
          .headers = {{"Content-Security-Policy", std::string(render::kPagePolicy)},
                      {"Referrer-Policy", "no-referrer"}}};
}

class HttpEndpoints final : public Endpoints {
 public:
  HttpEndpoints(status::StatusSource& source, status::Journal& journal,
                const status::Counters& counters, Options options)
      : source_(source),
        journal_(journal),
        counters_(counters),
        options_(options),
        server_(Server::start(
            {}, {.answer = [this](const Request& request,
                                  Server::Reply reply) { answer(request, std::move(reply)); },
                 .is_probe =
                     [](const Request& request) {
                       return request.path == "/healthz" || request.path == "/readyz";
                     }})) {}

  ~HttpEndpoints() override {
    socket_.reset();    // It calls the server.
    server_->finish();  // Its handlers use server_.
  }

  void serve_unix(const std::string& path) override {
    socket_ = std::make_unique<StatusSocket>(
        path, kRetryPeriod,
        StatusSocket::Callbacks{.made =
                                    [this](UniqueFd socket) {
                                      socket_checked_ = true;
                                      server_->listen(std::move(socket), Origin::local, false);
                                    },
                                .refused =
                                    [this](const Error& error) {
                                      socket_checked_ = true;
                                      server_->loop().post([this, error] { refused(error); });
                                    }});
    server_->loop().post([this, path] {
      hang_check_ = server_->loop().after(kHangTimeout, [this, path] {
        if (!socket_checked_) log_failure({unresponsive_text(path)});
      });
    });
  }

  void serve_tcp(const TcpAddress& address) override {
    server_->loop().post([this, address] { try_serve_tcp(address); });
  }

 private:
  void refused(const Error& error) {
    if (!is_socket_in_use(error)) return log_failure(error);
    if (std::exchange(logged_in_use_, true)) return;
    log::info("status socket is owned by another instance: taking over when it exits",
              {{"reason", error.message}});
  }

  void try_serve_tcp(const TcpAddress& address) {
    auto socket = listen_tcp(address);
    if (socket) {
      return server_->listen(*std::move(socket), Origin::network,
                             is_loopback_address(address.host));
    }
    log_failure(socket.error());
    retry_ = server_->loop().after(kRetryPeriod, [this, address] { try_serve_tcp(address); });
  }

  /// Logs each reason once.
  void log_failure(const Error& error) {
    if (!logged_failures_.insert(error.message).second) return;
    log::warning("cannot serve the status: retrying", {{"reason", error.message}});
  }

  [[nodiscard]] bool may_see_devices(const Request& request) const {
    return request.origin == Origin::local || options_.page_on_network;
  }

  // All functions below run on the server's thread.

  void answer(const Request& request, Server::Reply reply) {
    if (request.path == "/healthz") {
      return source_.check_liveness([reply = std::move(reply)] { reply({.body = "ok\n"}); });
    }
    if (request.path == "/metrics") {
      const render::MetricsQuery query{.per_unit = options_.metrics_per_unit};
      return answer_from_status({.assignments = query.per_unit}, std::move(reply),
                                [this, query](const status::NodeStatus& status) {
                                  return Answer{.type = render::kMetricsContentType,
                                                .body = render::metrics(status, counters_, query)};
                                });
    }
    if (request.path == "/readyz") {
      return answer_from_status({}, std::move(reply),
                                [verbose = request.query.contains("verbose")](const auto& status) {
                                  return ready_answer(status, verbose);
                                });
    }
    const render::PageFile* const file = render::page_file(request.path);
    const bool is_restricted =
        file != nullptr || std::ranges::find(kDevicePaths, request.path) != kDevicePaths.end();
    if (is_restricted && !may_see_devices(request)) return reply(device_paths_disabled());
    if (file != nullptr) return reply(page_answer(*file));
    if (request.path == "/status") return status(request, std::move(reply));
    if (request.path == "/unmatched") return unmatched(std::move(reply));
    if (request.path == "/events") {
      const auto after = query_limit(request, "after", 0);
      if (!after) return reply(not_a_number("after"));
      return reply({.type = kJson, .body = json_text(render::events_json(journal_.after(*after)))});
    }
    reply(not_found());
  }

  void unmatched(Server::Reply reply) {
    source_.request_unmatched([server = server_.get(),
                               reply = std::move(reply)](const status::UnmatchedReportPtr& report) {
      server->loop().post([reply, report] {
        if (!report) return reply({.status = 503, .body = "reading the host timed out\n"});
        // The positions of the groups refer to this plan: another one may be active by now.
        const Json json = {{"unmatchedGroups", report->plan ? render::unmatched_groups_json(
                                                                  *report->plan, report->groups)
                                                            : Json::array()}};
        reply({.type = kJson, .body = json_text(json, -1)});
      });
    });
  }

  void status(const Request& request, Server::Reply reply) {
    const auto units = query_limit(request, "units", render::UnitSelection::kAll);
    const auto from = query_limit(request, "from", 0);
    const auto refused = query_limit(request, "refused", render::UnitSelection::kAll);
    if (!units) return reply(not_a_number("units"));
    if (!from) return reply(not_a_number("from"));
    if (!refused) return reply(not_a_number("refused"));
    const std::string sort = query_value(request, "sort");
    if (!sort.empty() && sort != "health") {
      return reply({.status = 400, .body = "'sort' must be health, or absent\n"});
    }
    const render::StatusQuery query{.resource = query_value(request, "resource"),
                                    .units = {.limit = *units,
                                              .offset = *from,
                                              .match = query_value(request, "match"),
                                              .unhealthy_first = sort == "health"},
                                    .max_refused = *refused};
    answer_from_status(
        {.probes = query.units.limit > 0, .assignments = true, .resource = query.resource},
        std::move(reply), [this, query](const status::NodeStatus& status) {
          return Answer{.type = kJson,
                        .body = json_text(status_json(status, counters_, query), -1)};
        });
  }

  /// `false`: 0; a number: this number; empty: it is not a number.
  static std::optional<size_t> query_limit(const Request& request, const std::string& name,
                                           size_t usual) {
    const std::string text = query_value(request, name);
    if (text.empty()) return usual;
    return text == "false" ? std::optional<size_t>(0) : parse_whole<size_t>(text);
  }

  static std::string query_value(const Request& request, const std::string& name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? "" : found->second;
  }

  /// `make` runs on the server's thread: it costs the source nothing.
  template <typename Make>
  void answer_from_status(status::StatusRequest request, Server::Reply reply, Make make) {
    source_.request_status(std::move(request),
                           [server = server_.get(), reply = std::move(reply),
                            make = std::move(make)](const status::NodeStatusPtr& status) {
                             server->loop().post([reply, make, status] { reply(make(*status)); });
                           });
  }

  status::StatusSource& source_;
  status::Journal& journal_;
  const status::Counters& counters_;
  Options options_;
  bool logged_in_use_ = false;
  std::set<std::string> logged_failures_;
  std::unique_ptr<Server> server_;
  loop::Subscription hang_check_;  ///< It uses the server's loop, as the next.
  loop::Subscription retry_;
  std::atomic<bool> socket_checked_ = false;  ///< Its file system has answered.
  std::unique_ptr<StatusSocket> socket_;
};

}  // namespace

std::unique_ptr<Endpoints> Endpoints::start(status::StatusSource& source, status::Journal& journal,
                                            const status::Counters& counters, Options options) {
  return std::make_unique<HttpEndpoints>(source, journal, counters, options);
}

}  // namespace patchbay::http
