#include "http/endpoints.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/current_path.h"
#include "base/log.h"
#include "http/server.h"
#include "http/status_socket.h"
#include "render/machine_json.h"
#include "render/metrics.h"
#include "render/page.h"
#include "render/rule_json.h"
#include "render/status_json.h"
#include "status/readiness.h"

namespace patchbay::http {
namespace {

/// Period of comments that keep an idle stream of events alive.
constexpr std::chrono::seconds kHeartbeat{30};
/// How often the path of the status socket is checked and a port that is in use is retried.
constexpr std::chrono::seconds kRetryPeriod{10};
/// After this time without an answer, a file system hangs.
constexpr std::chrono::seconds kHangTimeout{2};

constexpr const char* kJson = "application/json";

/// Paths whose answers name devices. The page reads all of them.
constexpr std::array<std::string_view, 4> kDevicePaths{"/status", "/machine", "/unmatched",
                                                       "/events"};

Answer device_paths_disabled() {
  return {
      .status = 404,
      .body = "this endpoint exposes device names: use the status socket, or start with --page\n"};
}

Answer not_a_number(const std::string& name) {
  return {.status = 400, .body = "'" + name + "' must be a number\n"};
}

Answer not_found() {
  return {
      .status = 404,
      .body = "paths: /, /metrics, /healthz, /readyz, /status, /machine, /unmatched, /events\n"};
}

render::MetricsFormat format_of(const Request& request) {
  return request.accept.find("application/openmetrics-text") != std::string::npos
             ? render::MetricsFormat::open_metrics
             : render::MetricsFormat::prometheus;
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

/// Empty: it is not a number, or is too large.
std::optional<uint64_t> number_of(const std::string& text) {
  uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

/// Distinguishes the events of this daemon from those of an earlier one with the same numbers.
std::string make_run() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

class HttpEndpoints final : public Endpoints {
 public:
  HttpEndpoints(status::StatusSource& source, status::Journal& journal,
                const status::Counters& counters, Options options)
      : source_(source), journal_(journal), counters_(counters), options_(options) {}

  ~HttpEndpoints() override {
    journal_.listen(nullptr);
    socket_.reset();                 // It calls the server.
    if (server_) server_->finish();  // Its handlers use server_.
    server_.reset();
  }

  Result<void> begin() {
    auto server = Server::start(
        {},
        {.answer = [this](const Request& request,
                          Server::Reply reply) { answer(request, std::move(reply)); },
         .is_liveness = [](const Request& request) { return request.path == "/healthz"; },
         .is_stream =
             [this](const Request& request) {
               return request.path == "/events" && may_see_devices(request) &&
                      request.accept.find("text/event-stream") != std::string::npos &&
                      query_after(request, 0);
             },
         .opened = [this](const Request& request, const auto& stream) { opened(request, stream); },
         .closed = [this](const auto& stream) { closed(stream); }});
    if (!server) return std::unexpected(std::move(server).error());
    server_ = *std::move(server);
    return {};
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
                                      server_->post([this, error] { refused(error); });
                                    }});
    server_->after(kHangTimeout, [this, path] {
      if (!socket_checked_) log_failure({unresponsive_text(path)});
    });
  }

  void serve_tcp(const TcpAddress& address) override {
    server_->post([this, address] { try_serve_tcp(address); });
  }

 private:
  using StreamPtr = std::shared_ptr<Server::Stream>;

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
    server_->after(kRetryPeriod, [this, address] { try_serve_tcp(address); });
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
      const render::MetricsQuery query{.format = format_of(request),
                                       .per_unit = options_.metrics_per_unit};
      return answer_from_status({.assignments = query.per_unit}, std::move(reply),
                                [this, query](const status::NodeStatus& status) {
                                  return Answer{.type = std::string(content_type(query.format)),
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
    if (request.path == "/machine") return machine(std::move(reply));
    if (request.path == "/unmatched") return unmatched(std::move(reply));
    if (request.path == "/events") {
      const auto after = query_after(request, 0);
      if (!after) return reply(not_a_number("after"));
      return reply({.type = kJson, .body = json_text(render::events_json(journal_.after(*after)))});
    }
    reply(not_found());
  }

  void machine(Server::Reply reply) {
    source_.request_machine(
        [server = server_.get(), reply = std::move(reply)](const status::NodeStatusPtr& status,
                                                           const NodeHardwarePtr& machine) {
          server->post([reply, status, machine] {
            if (!machine) return reply({.status = 503, .body = "/sys is unresponsive\n"});
            reply({.type = kJson, .body = json_text(render::machine_json(*status, *machine), -1)});
          });
        });
  }

  void unmatched(Server::Reply reply) {
    source_.request_unmatched([server = server_.get(),
                               reply = std::move(reply)](const status::UnmatchedReportPtr& report) {
      server->post([reply, report] {
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
    return text == "false" ? std::optional<size_t>(0) : number_of(text);
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
                             server->post([reply, make, status] { reply(make(*status)); });
                           });
  }

  void opened(const Request& request, const StreamPtr& stream) {
    const auto after = request.last_event_id.empty() ? query_after(request, journal_.newest())
                                                     : number_after(request.last_event_id);
    streams_[stream] = after.value_or(0);
    stream->send("retry: 1000\n\n");
    send_events();
    if (streams_.size() != 1) return;  // The send may have ended this one.
    journal_.listen([this] {
      if (!wake_posted_.exchange(true)) server_->post([this] { send_events(); });
    });
    send_events();  // Events from the meantime.
    send_heartbeats();
  }

  /// The event number in the parameter `after`. Empty: it is neither a number nor the id of an
  /// event.
  [[nodiscard]] std::optional<uint64_t> query_after(const Request& request, uint64_t usual) const {
    const std::string text = query_value(request, "after");
    return text.empty() ? usual : number_after(text);
  }

  /// The event number in `after`, a number or the id of an event. 0, which precedes all events, if
  /// the event is from an earlier daemon. Empty: it is neither.
  [[nodiscard]] std::optional<uint64_t> number_after(const std::string& after) const {
    const size_t dash = after.find('-');
    const bool is_id = dash != std::string::npos;
    const auto number = number_of(is_id ? after.substr(dash + 1) : after);
    if (!number || (is_id && !number_of(after.substr(0, dash)))) return std::nullopt;
    const bool is_from_this_run = !is_id || after.substr(0, dash) == run_;
    return is_from_this_run && *number <= journal_.newest() ? *number : 0;
  }

  [[nodiscard]] std::string event_text(const status::Event& event) const {
    return fmt::format("id: {}-{}\ndata: {}\n\n", run_, event.number,
                       json_text(render::event_json(event), -1));
  }

  void closed(const StreamPtr& stream) {
    streams_.erase(stream);
    if (streams_.empty()) journal_.listen(nullptr);
  }

  void send_events() {
    wake_posted_ = false;
    const auto streams = streams_;
    for (const auto& [stream, last_sent] : streams) {
      std::string text;
      for (const status::Event& event : journal_.after(last_sent)) {
        text += event_text(event);
        streams_[stream] = event.number;
      }
      if (!text.empty()) stream->send(text);
    }
  }

  void send_heartbeats() {
    if (streams_.empty() || std::exchange(heartbeat_scheduled_, true)) return;
    server_->after(kHeartbeat, [this] {
      heartbeat_scheduled_ = false;
      for (const auto& [stream, last_sent] : std::map(streams_)) stream->send(": alive\n\n");
      send_heartbeats();
    });
  }

  status::StatusSource& source_;
  status::Journal& journal_;
  const status::Counters& counters_;
  Options options_;
  const std::string run_ = make_run();
  bool logged_in_use_ = false;
  std::set<std::string> logged_failures_;
  bool heartbeat_scheduled_ = false;
  std::atomic<bool> wake_posted_ = false;
  std::map<StreamPtr, uint64_t> streams_;  ///< The last event sent to each stream.
  std::unique_ptr<Server> server_;
  std::atomic<bool> socket_checked_ = false;  ///< Its file system has answered.
  std::unique_ptr<StatusSocket> socket_;
};

}  // namespace

Result<std::unique_ptr<Endpoints>> Endpoints::start(status::StatusSource& source,
                                                    status::Journal& journal,
                                                    const status::Counters& counters,
                                                    Options options) {
  auto endpoints = std::make_unique<HttpEndpoints>(source, journal, counters, options);
  if (auto begun = endpoints->begin(); !begun) return std::unexpected(std::move(begun).error());
  return endpoints;
}

}  // namespace patchbay::http
