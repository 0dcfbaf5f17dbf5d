#include "http/server.h"

#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "http/connection.h"

namespace patchbay::http {
namespace {

/// While all connections wait for answers, the server accepts again after this time. This limits
/// the processor time for clients that ask again at once.
constexpr loop::Milliseconds kRetryWhenFull{20};
/// Delay after the kernel refused a descriptor for a connection.
constexpr loop::Milliseconds kRetryAfterError{1000};
/// Answers up to this size are sent regardless of unsent_bytes: all connections together have only
/// a small total of them.
constexpr size_t kSmallAnswer = 4096;

class EventServer final : public Server {
 public:
  EventServer(const Limits& limits, Handler handler);
  ~EventServer() override;

  void finish() override;
  void listen(UniqueFd socket, Origin origin, bool loopback) override;
  loop::EventLoop& loop() override { return *loop_; }

 private:
  /// A listening socket.
  struct ListenSocket {
    UniqueFd socket;
    Origin origin;
    bool loopback;
    std::vector<std::shared_ptr<Connection>> connections{};
    Connection::Callbacks callbacks{};
    loop::Subscription event{};

    [[nodiscard]] size_t pending() const {
      return static_cast<size_t>(std::ranges::count_if(connections, &Connection::is_pending));
    }
  };
  /// Lets a handler answer after the server was destroyed.
  struct WeakServer {
    std::mutex mutex;
    EventServer* server = nullptr;  // Guarded by mutex.
  };

  void add(UniqueFd socket, Origin origin, bool loopback);
  void watch(ListenSocket& listener);
  void watch_after(ListenSocket& listener, loop::Milliseconds delay);
  void accept_some(ListenSocket& listener);
  void connect(ListenSocket& listener, UniqueFd peer);
  void on_request(ListenSocket& listener, Connection& connection, Result<Head> head);
  void dispatch(ListenSocket& listener, Connection& connection, const Request& request);
  void answer(const ListenSocket& listener, Connection& connection, const Answer& answer) const;

  const Limits limits_;
  const Handler handler_;
  std::vector<std::unique_ptr<ListenSocket>> listen_sockets_;
  bool accept_failed_ = false;  ///< The kernel refuses descriptors, and this is logged.
  std::shared_ptr<WeakServer> weak_server_ = std::make_shared<WeakServer>();
  std::unique_ptr<loop::UvLoop> loop_;
  std::thread thread_;
};

EventServer::EventServer(const Limits& limits, Handler handler)
    : limits_(limits), handler_(std::move(handler)) {
  weak_server_->server = this;
  std::promise<void> made;
  thread_ = std::thread([this, &made] {
    pthread_setname_np(pthread_self(), "http");
    loop_ = std::make_unique<loop::UvLoop>("http");
    made.set_value();
    loop_->run();
  });
  made.get_future().wait();
}

EventServer::~EventServer() {
  finish();
  for (const auto& listener : listen_sockets_) {
    const auto open = listener->connections;
    for (const auto& connection : open) connection->close();
  }
  listen_sockets_.clear();
}

void EventServer::finish() {
  {
    const std::lock_guard lock(weak_server_->mutex);
    weak_server_->server = nullptr;
  }
  if (!thread_.joinable()) return;
  loop_->post([this] { loop_->stop(); });
  thread_.join();
}

// ---- Connections --------------------------------------------------------------------------------

void EventServer::listen(UniqueFd socket, Origin origin, bool loopback) {
  loop_->post([this, socket = std::move(socket), origin, loopback]() mutable {
    add(std::move(socket), origin, loopback);
  });
}

void EventServer::add(UniqueFd socket, Origin origin, bool loopback) {
  const auto before = std::ranges::find_if(listen_sockets_, [origin](const auto& at) {
    return origin == Origin::local && at->origin == origin;
  });
  if (before != listen_sockets_.end()) {
    (*before)->event.reset();
    (*before)->socket = std::move(socket);
    return watch(**before);
  }
  listen_sockets_.push_back(std::make_unique<ListenSocket>(std::move(socket), origin, loopback));
  ListenSocket& listener = *listen_sockets_.back();
  listener.callbacks = {.requested =
                            [this, &listener](Connection& connection, Result<Head> head) {
                              on_request(listener, connection, std::move(head));
                            },
                        .closed =
                            [&listener](const Connection& closed) {
                              std::erase_if(listener.connections, [&](const auto& connection) {
                                return connection.get() == &closed;
                              });
                            }};
  watch(listener);
}

void EventServer::watch(ListenSocket& listener) {
  listener.event = loop_->watch_readable(
      listener.socket.get(), [this, &listener](loop::FdEvent /*event*/) { accept_some(listener); });
}

/// The socket stays readable: to watch it meanwhile would keep the thread busy.
void EventServer::watch_after(ListenSocket& listener, loop::Milliseconds delay) {
  listener.event.reset();
  listener.event = loop_->after(delay, [this, &listener] { watch(listener); });
}

/// Accepts a limited number of connections, so that answers are not delayed.
void EventServer::accept_some(ListenSocket& listener) {
  for (size_t i = 0; i < limits_.connections; ++i) {
    if (listener.pending() >= limits_.connections) return watch_after(listener, kRetryWhenFull);
    UniqueFd peer(accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (peer) {
      if (std::exchange(accept_failed_, false)) {
        log::info("accepting connections again", {{"socket", "HTTP"}});
      }
      connect(listener, std::move(peer));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (!std::exchange(accept_failed_, true)) {
        log::warning("cannot accept connections: retrying",
                     {{"socket", "HTTP"}, {"reason", std::system_category().message(errno)}});
      }
      return watch_after(listener, kRetryAfterError);
    }
  }
}

/// At least one connection is not pending. A new one must not wait for silent peers: it may be a
/// probe of the kubelet.
void EventServer::connect(ListenSocket& listener, UniqueFd peer) {
  auto& all = listener.connections;
  if (all.size() >= limits_.connections) {
    const auto order = [](const auto& c) { return std::pair(c->is_pending(), c->since()); };
    const auto longest_silent = *std::ranges::min_element(all, {}, order);
    longest_silent->close();
  }
  const auto connection =
      std::make_shared<Connection>(*loop_, limits_, listener.callbacks, std::move(peer));
  all.push_back(connection);
  connection->begin();
}

// ---- Requests ----------------------------------------------------------------------------------

void EventServer::on_request(ListenSocket& listener, Connection& connection, Result<Head> head) {
  if (!head) return connection.answer({.status = 400, .body = head.error().message + "\n"});
  if (head->method == Head::Method::other) {
    return connection.answer(
        {.status = 405, .body = "only GET and HEAD\n", .headers = {{"Allow", "GET, HEAD"}}});
  }
  if (head->has_body) {
    return connection.answer({.status = 400, .body = "requests cannot have a body\n"});
  }
  if (listener.loopback && !is_loopback_host(head->host)) {
    return connection.answer(
        {.status = 403, .body = "the Host header does not match this server\n"});
  }
  const Request request{
      .origin = listener.origin, .path = std::move(head->path), .query = std::move(head->query)};
  // This one is pending, too.
  if (listener.pending() > limits_.waiting_requests && !handler_.is_probe(request)) {
    return connection.answer(unavailable("too many concurrent requests"));
  }
  dispatch(listener, connection, request);
}

void EventServer::dispatch(ListenSocket& listener, Connection& connection, const Request& request) {
  handler_.answer(request, [weak = weak_server_, &listener,
                            to = connection.weak_from_this()](const Answer& given) {
    const std::lock_guard lock(weak->mutex);
    EventServer* const server = weak->server;
    if (server == nullptr) return;
    const auto send = [server, &listener, to](const Answer& text) {
      if (const auto open = to.lock()) server->answer(listener, *open, text);
    };
    // Immediately if possible, so that several large answers are not in memory at a time.
    if (server->thread_.get_id() == std::this_thread::get_id()) return send(given);
    server->loop_->post([send, given] { send(given); });
  });
}

void EventServer::answer(const ListenSocket& listener, Connection& connection,
                         const Answer& answer) const {
  const auto unsent = [](size_t sum, const auto& other) { return sum + other->unsent_bytes(); };
  const auto& all = listener.connections;
  const size_t before = std::accumulate(all.begin(), all.end(), size_t{0}, unsent);
  const bool is_large = answer.body.size() > kSmallAnswer && before > 0;
  if (is_large && before + answer.body.size() > limits_.unsent_bytes) {
    return connection.answer(unavailable("too many answers wait for slow clients"));
  }
  connection.answer(answer);
}

}  // namespace

std::unique_ptr<Server> Server::start(const Limits& limits, Handler handler) {
  return std::make_unique<EventServer>(limits, std::move(handler));
}

}  // namespace patchbay::http
