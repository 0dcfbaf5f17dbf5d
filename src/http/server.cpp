#include "http/server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include <event2/event.h>

#include "base/log.h"
#include "http/connection.h"
#include "http/event_thread.h"

namespace patchbay::http {
namespace {

/// While all connections are in use, the server tries to evict one this often.
constexpr std::chrono::milliseconds kRetryWhenFull{50};
/// Delay after the kernel refused a descriptor for a connection.
constexpr std::chrono::seconds kRetryAfterError{1};
/// Answers up to this size are sent regardless of unsent_bytes: all connections together have only
/// a small total of them.
constexpr size_t kSmallAnswer = 4096;

bool is_readable(int fd) {
  pollfd socket{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&socket, 1, 0) > 0;
}

Answer unavailable(const std::string& why) {
  return {.status = 503, .body = why + "\n", .headers = {{"Retry-After", "1"}}};
}

class EventServer final : public Server, public Connection::Owner {
 public:
  EventServer(const Limits& limits, Handler handler)
      : limits_(limits), handler_(std::move(handler)) {}
  ~EventServer() override;

  Result<void> begin() {
    weak_server_->server = this;
    return thread_.start("http");
  }
  void finish() override;
  void listen(UniqueFd socket, Origin origin, bool loopback) override;
  void post(std::function<void()> task) override { thread_.post(std::move(task)); }
  void after(std::chrono::milliseconds delay, std::function<void()> task) override {
    thread_.after(delay, std::move(task));
  }

 private:
  /// A listening socket.
  struct ListenSocket {
    EventServer& server;
    UniqueFd socket;
    Origin origin;
    bool loopback;
    size_t connections = 0;
    Timer event{};
  };
  /// A request without an answer yet.
  struct PendingRequest {
    std::shared_ptr<Connection> connection;
    bool with_body = true;
  };
  /// Lets a handler answer after the server was destroyed.
  struct WeakServer {
    std::mutex mutex;
    EventServer* server = nullptr;  // Guarded by mutex.
  };

  // Connection::Owner
  void on_request(Connection& connection, Result<Head> head) override;
  void on_timeout(Connection& connection) override;
  void on_closed(Connection& connection) override;

  void accept_all(ListenSocket& listener);
  void pause(ListenSocket& listener, std::chrono::milliseconds time);
  void wait_for(ListenSocket& listener, short events, const std::chrono::milliseconds* time);
  [[nodiscard]] bool evict_idle_connection(const ListenSocket& listener);
  void dispatch(Connection& connection, const Request& request, bool with_body);
  void answer(uint64_t number, const Answer& answer);
  void open_stream(Connection& connection, const Request& request);
  [[nodiscard]] size_t unsent_bytes() const;

  Limits limits_;
  Handler handler_;
  std::vector<std::unique_ptr<ListenSocket>> listen_sockets_;
  std::map<std::shared_ptr<Connection>, ListenSocket*> connections_;
  std::map<uint64_t, PendingRequest> pending_requests_;  ///< By the number of the request.
  uint64_t requests_ = 0;
  size_t streams_ = 0;
  bool accept_failed_ = false;  ///< The kernel refuses descriptors, and this is logged.
  std::shared_ptr<WeakServer> weak_server_ = std::make_shared<WeakServer>();
  EventThread thread_;
};

EventServer::~EventServer() {
  finish();
  // Handlers may keep streams for longer, but all events belong to the thread's base.
  for (const auto& [connection, listener] : connections_) connection->close_silently();
  listen_sockets_.clear();
}

void EventServer::finish() {
  {
    const std::lock_guard lock(weak_server_->mutex);
    weak_server_->server = nullptr;
  }
  thread_.finish();
}

// ---- Connections --------------------------------------------------------------------------------

void EventServer::listen(UniqueFd socket, Origin origin, bool loopback) {
  // A std::function is copyable.
  const auto shared = std::make_shared<UniqueFd>(std::move(socket));
  post([this, shared, origin, loopback] {
    const auto before = std::ranges::find_if(listen_sockets_, [origin](const auto& at) {
      return origin == Origin::local && at->origin == origin;
    });
    if (before == listen_sockets_.end()) {
      listen_sockets_.push_back(
          std::make_unique<ListenSocket>(*this, std::move(*shared), origin, loopback));
      return accept_all(*listen_sockets_.back());
    }
    (*before)->event.reset();
    (*before)->socket = std::move(*shared);
    accept_all(**before);
  });
}

/// Accepts all waiting connections. After a failure it retries with a timer: the socket stays
/// readable, and to watch it would keep the thread busy.
void EventServer::accept_all(ListenSocket& listener) {
  for (;;) {
    if (listener.connections >= limits_.connections) {
      if (!is_readable(listener.socket.get())) break;  // No connection waits, so none is evicted.
      if (!evict_idle_connection(listener)) return pause(listener, kRetryWhenFull);
    }
    UniqueFd peer(accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (peer) {
      if (std::exchange(accept_failed_, false)) {
        log::info("accepting connections again", {{"socket", "HTTP"}});
      }
      const auto connection =
          std::make_shared<Connection>(*this, thread_.base(), limits_, std::move(peer));
      connections_.emplace(connection, &listener);
      ++listener.connections;
      connection->begin();
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (!std::exchange(accept_failed_, true)) {
        log::warning("cannot accept connections: retrying",
                     {{"socket", "HTTP"}, {"reason", std::system_category().message(errno)}});
      }
      return pause(listener, kRetryAfterError);
    }
  }
  wait_for(listener, EV_READ, nullptr);
}

/// The timer replaces the socket's event, so a socket has one retry at a time.
void EventServer::pause(ListenSocket& listener, std::chrono::milliseconds time) {
  wait_for(listener, 0, &time);
}

/// Calls accept_all() at one of the `events`, or after `time`, if that is not null.
void EventServer::wait_for(ListenSocket& listener, short events,
                           const std::chrono::milliseconds* time) {
  listener.event.reset(event_new(
      thread_.base(), listener.socket.get(), events,
      [](evutil_socket_t, short, void* at) {
        auto& ready = *static_cast<ListenSocket*>(at);
        ready.server.accept_all(ready);
      },
      &listener));
  const timeval timeout = time == nullptr ? timeval{} : to_timeval(*time);
  event_add(listener.event.get(), time == nullptr ? nullptr : &timeout);
}

/// Closes the connection that has been idle for the longest time, so that silent peers do not block
/// the kubelet's probes. False: no connection has been idle for long enough.
bool EventServer::evict_idle_connection(const ListenSocket& listener) {
  auto before = Connection::Clock::now() - limits_.eviction_idle;
  const std::shared_ptr<Connection>* longest = nullptr;
  for (const auto& [connection, of] : connections_) {
    if (of != &listener || connection->since() > before || !connection->is_idle()) continue;
    longest = &connection;
    before = connection->since();
  }
  if (longest == nullptr) return false;
  const auto connection = *longest;
  connection->close();
  return true;
}

void EventServer::on_closed(Connection& connection) {
  const auto found = connections_.find(connection.shared_from_this());
  if (found == connections_.end()) return;
  --found->second->connections;
  const auto kept = connections_.extract(found).key();
  if (!connection.is_stream()) return;
  --streams_;
  handler_.closed(kept);
}

// ---- Requests ----------------------------------------------------------------------------------

void EventServer::on_request(Connection& connection, Result<Head> head) {
  if (!head) {
    return connection.answer({.status = 400, .body = head.error().message + "\n"}, true, true);
  }
  const bool with_body = head->method != Head::Method::head;
  if (head->method == Head::Method::other) {
    return connection.answer(
        {.status = 405, .body = "only GET and HEAD\n", .headers = {{"Allow", "GET, HEAD"}}}, true,
        false);
  }
  if (head->has_body) {
    return connection.answer({.status = 400, .body = "requests cannot have a body\n"}, with_body,
                             true);
  }
  const ListenSocket& listener = *connections_.at(connection.shared_from_this());
  if (listener.loopback && !is_loopback_host(head->host)) {
    return connection.answer(
        {.status = 403, .body = "the Host header does not match this server\n"}, with_body, false);
  }
  const Request request{.origin = listener.origin,
                        .path = std::move(head->path),
                        .query = std::move(head->query),
                        .accept = std::move(head->accept),
                        .last_event_id = std::move(head->last_event_id)};
  if (with_body && handler_.is_stream(request)) return open_stream(connection, request);
  if (pending_requests_.size() >= limits_.waiting_requests && !handler_.is_liveness(request)) {
    return connection.answer(unavailable("too many concurrent requests"), with_body, false);
  }
  dispatch(connection, request, with_body);
}

void EventServer::dispatch(Connection& connection, const Request& request, bool with_body) {
  const uint64_t number = ++requests_;
  pending_requests_[number] = {connection.shared_from_this(), with_body};
  handler_.answer(request, [weak = weak_server_, number](const Answer& given) {
    const std::lock_guard lock(weak->mutex);
    EventServer* const server = weak->server;
    if (server == nullptr) return;
    // Immediately if possible, so that several large answers are not in memory at a time.
    if (server->thread_.is_current()) return server->answer(number, given);
    server->post([server, number, given] { server->answer(number, given); });
  });
}

void EventServer::on_timeout(Connection& connection) {
  const auto late = std::ranges::find_if(pending_requests_, [&](const auto& entry) {
    return entry.second.connection.get() == &connection;
  });
  if (late != pending_requests_.end()) answer(late->first, unavailable("the answer timed out"));
}

void EventServer::answer(uint64_t number, const Answer& answer) {
  const auto found = pending_requests_.extract(number);
  if (found.empty()) return;
  const auto& [connection, with_body] = found.mapped();
  const size_t before = answer.body.size() > kSmallAnswer ? unsent_bytes() : 0;
  if (before > 0 && before + answer.body.size() > limits_.unsent_bytes) {
    return connection->answer(unavailable("too many answers wait for slow clients"), with_body,
                              false);
  }
  connection->answer(answer, with_body, false);
}

size_t EventServer::unsent_bytes() const {
  size_t sum = 0;
  for (const auto& [connection, listener] : connections_) sum += connection->unsent_bytes();
  return sum;
}

void EventServer::open_stream(Connection& connection, const Request& request) {
  if (connection.has_excess()) {
    return connection.answer(
        {.status = 400, .body = "a stream's request must be the last on its connection\n"}, true,
        true);
  }
  if (streams_ >= limits_.streams) {
    return connection.answer(unavailable("too many event streams are open"), true, false);
  }
  if (!connection.become_stream()) return;
  ++streams_;
  handler_.opened(request, connection.shared_from_this());
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const Limits& limits, Handler handler) {
  auto server = std::make_unique<EventServer>(limits, std::move(handler));
  if (auto begun = server->begin(); !begun) return std::unexpected(std::move(begun).error());
  return server;
}

}  // namespace patchbay::http
