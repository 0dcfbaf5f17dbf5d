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
constexpr std::chrono::milliseconds kFull{50};
/// After the kernel has refused a connection's descriptor.
constexpr std::chrono::seconds kRefused{1};
/// Answers of this size are sent however much is not taken: all connections together cannot hold
/// much of them.
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
    here_->server = this;
    return thread_.start("http");
  }
  void finish() override;
  void listen(UniqueFd socket, Door door, bool loopback) override;
  void post(std::function<void()> task) override { thread_.post(std::move(task)); }
  void after(std::chrono::milliseconds delay, std::function<void()> task) override {
    thread_.after(delay, std::move(task));
  }

 private:
  /// A listening socket.
  struct Entrance {
    EventServer& server;
    UniqueFd socket;
    Door door;
    bool loopback;
    size_t connections = 0;
    Timer event{};
  };
  /// Whose request waits for its answer.
  struct Waiting {
    std::shared_ptr<Connection> connection;
    bool with_body = true;
  };
  /// Who answers may do it when the server has gone.
  struct Here {
    std::mutex mutex;
    EventServer* server = nullptr;  // Guarded by mutex.
  };

  // Connection::Owner
  void on_request(Connection& connection, Result<Head> head) override;
  void on_late(Connection& connection) override;
  void on_closed(Connection& connection) override;

  void accept_all(Entrance& entrance);
  void pause(Entrance& entrance, std::chrono::milliseconds time);
  void wait_for(Entrance& entrance, short events, const std::chrono::milliseconds* time);
  [[nodiscard]] bool make_room(const Entrance& entrance);
  void ask(Connection& connection, const Request& request, bool with_body);
  void answer(uint64_t number, const Answer& answer);
  void open_stream(Connection& connection, const Request& request);
  [[nodiscard]] size_t unsent_bytes() const;

  Limits limits_;
  Handler handler_;
  std::vector<std::unique_ptr<Entrance>> entrances_;
  std::map<std::shared_ptr<Connection>, Entrance*> connections_;
  std::map<uint64_t, Waiting> waiting_;  ///< By the number of the request.
  uint64_t requests_ = 0;
  size_t streams_ = 0;
  bool refused_ = false;  ///< The kernel refuses descriptors, and this is logged.
  std::shared_ptr<Here> here_ = std::make_shared<Here>();
  EventThread thread_;
};

EventServer::~EventServer() {
  finish();
  // Others may hold streams for longer, and all events are of the thread's base.
  for (const auto& [connection, entrance] : connections_) connection->abandon();
  entrances_.clear();
}

void EventServer::finish() {
  {
    const std::lock_guard lock(here_->mutex);
    here_->server = nullptr;
  }
  thread_.finish();
}

// ---- Connections --------------------------------------------------------------------------------

void EventServer::listen(UniqueFd socket, Door door, bool loopback) {
  // A std::function is copied.
  const auto shared = std::make_shared<UniqueFd>(std::move(socket));
  post([this, shared, door, loopback] {
    const auto before = std::ranges::find_if(
        entrances_, [door](const auto& at) { return door == Door::local && at->door == door; });
    if (before == entrances_.end()) {
      entrances_.push_back(std::make_unique<Entrance>(*this, std::move(*shared), door, loopback));
      return accept_all(*entrances_.back());
    }
    (*before)->event.reset();
    (*before)->socket = std::move(*shared);
    accept_all(**before);
  });
}

/// All that wait at the socket. What cannot be accepted now is tried again after a while: the
/// socket stays readable meanwhile, and to watch it would keep the thread busy.
void EventServer::accept_all(Entrance& entrance) {
  for (;;) {
    if (entrance.connections >= limits_.connections) {
      if (!is_readable(entrance.socket.get())) break;  // Nobody waits, so nobody is evicted.
      if (!make_room(entrance)) return pause(entrance, kFull);
    }
    UniqueFd peer(accept4(entrance.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (peer) {
      if (std::exchange(refused_, false)) {
        log::info("connections are taken again", {{"socket", "HTTP"}});
      }
      const auto connection =
          std::make_shared<Connection>(*this, thread_.base(), limits_, std::move(peer));
      connections_.emplace(connection, &entrance);
      ++entrance.connections;
      connection->begin();
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (!std::exchange(refused_, true)) {
        log::warning("connections must wait",
                     {{"socket", "HTTP"}, {"reason", std::system_category().message(errno)}});
      }
      return pause(entrance, kRefused);
    }
  }
  wait_for(entrance, EV_READ, nullptr);
}

/// The timer takes the place of the socket's event, so a socket has one retry at a time.
void EventServer::pause(Entrance& entrance, std::chrono::milliseconds time) {
  wait_for(entrance, 0, &time);
}

/// Calls accept_all() at one of the `events`, or after `time`, if that is not null.
void EventServer::wait_for(Entrance& entrance, short events,
                           const std::chrono::milliseconds* time) {
  entrance.event.reset(event_new(
      thread_.base(), entrance.socket.get(), events,
      [](evutil_socket_t, short, void* at) {
        auto& ready = *static_cast<Entrance*>(at);
        ready.server.accept_all(ready);
      },
      &entrance));
  const timeval timeout = time == nullptr ? timeval{} : to_timeval(*time);
  event_add(entrance.event.get(), time == nullptr ? nullptr : &timeout);
}

/// Closes the connection that has been idle for the longest time, so that silent peers do not block
/// the kubelet's probes. False: no connection has been idle for long enough.
bool EventServer::make_room(const Entrance& entrance) {
  auto before = Connection::Clock::now() - limits_.eviction_idle;
  const std::shared_ptr<Connection>* longest = nullptr;
  for (const auto& [connection, of] : connections_) {
    if (of != &entrance || connection->since() > before || !connection->is_idle()) continue;
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
    return connection.answer({.status = 400, .body = "a request takes no body\n"}, with_body, true);
  }
  const Entrance& entrance = *connections_.at(connection.shared_from_this());
  if (entrance.loopback && !is_own_name(head->host)) {
    return connection.answer({.status = 403, .body = "this is not the host that you ask for\n"},
                             with_body, false);
  }
  const Request request{.door = entrance.door,
                        .path = std::move(head->path),
                        .query = std::move(head->query),
                        .accept = std::move(head->accept),
                        .last_event_id = std::move(head->last_event_id)};
  if (with_body && handler_.is_stream(request)) return open_stream(connection, request);
  if (waiting_.size() >= limits_.waiting && !handler_.is_liveness(request)) {
    return connection.answer(unavailable("too many ask at once"), with_body, false);
  }
  ask(connection, request, with_body);
}

void EventServer::ask(Connection& connection, const Request& request, bool with_body) {
  const uint64_t number = ++requests_;
  waiting_[number] = {connection.shared_from_this(), with_body};
  handler_.answer(request, [here = here_, number](const Answer& given) {
    const std::lock_guard lock(here->mutex);
    EventServer* const server = here->server;
    if (server == nullptr) return;
    // At once where it can be, so that large answers do not wait beside one another.
    if (server->thread_.is_current()) return server->answer(number, given);
    server->post([server, number, given] { server->answer(number, given); });
  });
}

void EventServer::on_late(Connection& connection) {
  const auto late = std::ranges::find_if(
      waiting_, [&](const auto& entry) { return entry.second.connection.get() == &connection; });
  if (late != waiting_.end()) answer(late->first, unavailable("no answer in time"));
}

void EventServer::answer(uint64_t number, const Answer& answer) {
  const auto found = waiting_.extract(number);
  if (found.empty()) return;
  const auto& [connection, with_body] = found.mapped();
  const size_t before = answer.body.size() > kSmallAnswer ? unsent_bytes() : 0;
  if (before > 0 && before + answer.body.size() > limits_.unsent_bytes) {
    return connection->answer(unavailable("too many answers are not taken by who asked for them"),
                              with_body, false);
  }
  connection->answer(answer, with_body, false);
}

size_t EventServer::unsent_bytes() const {
  size_t sum = 0;
  for (const auto& [connection, entrance] : connections_) sum += connection->unsent_bytes();
  return sum;
}

void EventServer::open_stream(Connection& connection, const Request& request) {
  if (connection.has_excess()) {
    return connection.answer({.status = 400, .body = "bytes follow the request of a stream\n"},
                             true, true);
  }
  if (streams_ >= limits_.streams) {
    return connection.answer(unavailable("too many streams of events are open"), true, false);
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
