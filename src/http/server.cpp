#include "http/server.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <event2/thread.h>

#include "http/event_thread.h"
#include "http/exchange.h"

namespace patchbay::http {
namespace {

using Buffer = std::unique_ptr<evbuffer, Freed<evbuffer_free>>;
using Http = std::unique_ptr<evhttp, Freed<evhttp_free>>;

Answer unavailable(const std::string& why) {
  return {.status = 503, .body = why + "\n", .headers = {{"Retry-After", "1"}}};
}

/// While as many are connected as may be, it is looked so often whether one has gone,
constexpr std::chrono::milliseconds kCountAgain{50};
/// and who neither asked nor took his answer for so long makes room for others.
constexpr std::chrono::milliseconds kMostIdle{100};

class EventServer;

/// A listening socket with its connections.
struct Entrance {
  EventServer& server;
  Door door;
  bool loopback;
  /// Since when connections are idle; by descriptor and inode. Only while there are too many.
  std::map<std::pair<int, ino_t>, std::chrono::steady_clock::time_point> idle{};
  size_t connections = 0;  ///< At most: those that have gone since they were counted are in it.
  evconnlistener* listener = nullptr;  ///< Owned by `http`.
  Http http;
};

class EventServer final : public Server {
 public:
  EventServer(const Limits& limits, Handler handler)
      : limits_(limits), handler_(std::move(handler)) {}
  ~EventServer() override;

  Result<void> begin();
  void finish() override;
  void listen(UniqueFd socket, Door door, bool loopback) override;
  void post(std::function<void()> task) override { thread_.post(std::move(task)); }
  void after(std::chrono::milliseconds delay, std::function<void()> task) override {
    thread_.after(delay, std::move(task));
  }

  [[nodiscard]] const Limits& limits() const { return limits_; }
  void on_request(const Entrance& entrance, evhttp_request* request);
  void on_accepted(Entrance& entrance);

 private:
  class EventStream;
  /// A request that waits for its answer.
  struct Waiting {
    EventServer& server;
    uint64_t number;
    evhttp_request* request;
    bool head;
    Timer late;
  };
  /// Who answers may do it when the server has gone.
  struct Here {
    std::mutex mutex;
    EventServer* server = nullptr;  // Guarded by mutex.
  };

  void enter(UniqueFd socket, Door door, bool loopback);
  void count(Entrance& entrance);
  void make_room(Entrance& entrance, const std::set<int>& descriptors);
  void answer(uint64_t number, const Answer& answer);
  void open_stream(const Request& request, evhttp_request* raw);

  Limits limits_;
  Handler handler_;
  std::vector<std::unique_ptr<Entrance>> entrances_;
  std::map<uint64_t, std::unique_ptr<Waiting>> waiting_;
  uint64_t requests_ = 0;
  std::set<std::shared_ptr<EventStream>> streams_;
  std::shared_ptr<Here> here_ = std::make_shared<Here>();
  EventThread thread_;
};

// ---- Streams of events -------------------------------------------------------------------------

class EventServer::EventStream final : public Stream,
                                       public std::enable_shared_from_this<EventStream> {
 public:
  EventStream(EventServer& server, evhttp_request* request) : server_(server), request_(request) {}
  ~EventStream() override = default;

  void begin() {
    evhttp_connection* const connection = evhttp_request_get_connection(request_);
    // A stream is silent while nothing happens.
    evhttp_connection_set_timeout(connection, -1);
    evhttp_connection_set_closecb(connection, on_close, this);
    evkeyvalq* const headers = evhttp_request_get_output_headers(request_);
    evhttp_add_header(headers, "Content-Type", "text/event-stream");
    evhttp_add_header(headers, "Cache-Control", "no-store");
    evhttp_send_reply_start(request_, 200, "OK");
  }

  void send(const std::string& text) override {
    if (request_ == nullptr || gone_) return;
    evhttp_connection* const connection = evhttp_request_get_connection(request_);
    bufferevent* const buffer = evhttp_connection_get_bufferevent(connection);
    if (evbuffer_get_length(bufferevent_get_output(buffer)) > server_.limits_.stream_bytes) {
      return end();
    }
    const Buffer chunk(evbuffer_new());
    evbuffer_add(chunk.get(), text.data(), text.size());
    evhttp_send_reply_chunk(request_, chunk.get());
  }

  void end() override {
    if (std::exchange(ended_, true)) return;
    // Not within a callback of the connection that goes.
    server_.thread_.run_after(std::chrono::milliseconds(0),
                              [self = shared_from_this()] { self->leave(); });
  }

  [[nodiscard]] int descriptor() const {
    if (request_ == nullptr || gone_) return -1;
    return bufferevent_getfd(
        evhttp_connection_get_bufferevent(evhttp_request_get_connection(request_)));
  }

  /// The thread has finished.
  void drop() {
    if (gone_ && request_ != nullptr) evhttp_request_free(request_);
    request_ = nullptr;
  }

 private:
  static void on_close(evhttp_connection* /*connection*/, void* stream) {
    auto* const self = static_cast<EventStream*>(stream);
    self->gone_ = true;
    self->end();
  }

  void leave() {
    evhttp_request* const request = std::exchange(request_, nullptr);
    if (!gone_)
      evhttp_connection_set_closecb(evhttp_request_get_connection(request), nullptr, nullptr);
    evhttp_send_reply_end(request);
    server_.handler_.closed(shared_from_this());
    server_.streams_.erase(shared_from_this());
  }

  EventServer& server_;
  evhttp_request* request_;
  bool gone_ = false;  ///< The peer has.
  bool ended_ = false;
};

// ---- Connections --------------------------------------------------------------------------------

EventServer::~EventServer() {
  finish();
  // A connection frees its requests; of one that has gone nobody else does.
  for (const auto& [number, waiting] : waiting_) {
    if (evhttp_request_get_connection(waiting->request) == nullptr) {
      evhttp_request_free(waiting->request);
    }
  }
  waiting_.clear();
  for (const auto& stream : streams_) stream->drop();
  entrances_.clear();
}

void EventServer::finish() {
  {
    const std::lock_guard lock(here_->mutex);
    here_->server = nullptr;
  }
  thread_.finish();
}

Result<void> EventServer::begin() {
  here_->server = this;
  return thread_.start("http");
}

void EventServer::listen(UniqueFd socket, Door door, bool loopback) {
  // A std::function is copied.
  const auto shared = std::make_shared<UniqueFd>(std::move(socket));
  post([this, shared, door, loopback] { enter(std::move(*shared), door, loopback); });
}

void EventServer::enter(UniqueFd socket, Door door, bool loopback) {
  auto entrance = std::make_unique<Entrance>(*this, door, loopback);
  entrance->http.reset(evhttp_new(thread_.base()));
  evhttp* const http = entrance->http.get();
  evhttp_set_timeout(http, static_cast<int>(limits_.silence.count()));
  evhttp_set_max_headers_size(http, static_cast<ev_ssize_t>(limits_.head_bytes));
  evhttp_set_max_body_size(http, 0);
  // All that there are, so that those that are not allowed are told so.
  evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST |
                                       EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
                                       EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH);
  evhttp_set_gencb(
      http,
      [](evhttp_request* request, void* thing) {
        const auto& from = *static_cast<Entrance*>(thing);
        from.server.on_request(from, request);
      },
      entrance.get());
  // It is called for each connection that was accepted.
  evhttp_set_bevcb(
      http,
      [](event_base* base, void* thing) {
        auto& at = *static_cast<Entrance*>(thing);
        at.server.on_accepted(at);
        return bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
      },
      entrance.get());
  entrance->listener =
      evconnlistener_new(thread_.base(), nullptr, nullptr,
                         LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, socket.release());
  evhttp_bind_listener(http, entrance->listener);
  entrances_.push_back(std::move(entrance));
}

/// libevent neither bounds the number of connections nor tells when one has gone. So they are
/// counted when there may be too many, by the descriptors that it watches.
void EventServer::on_accepted(Entrance& entrance) {
  if (++entrance.connections >= limits_.connections) count(entrance);
}

void EventServer::count(Entrance& entrance) {
  struct Seen {
    Door door;
    std::set<int> descriptors;
  } seen{.door = entrance.door, .descriptors = {}};
  event_base_foreach_event(
      thread_.base(),
      [](const event_base*, const event* watched, void* thing) {
        auto& [door, descriptors] = *static_cast<Seen*>(thing);
        const int fd = event_get_fd(watched);
        int domain = 0;
        socklen_t size = sizeof domain;
        const bool is_socket =
            fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0;
        if (is_socket && (domain == AF_UNIX) == (door == Door::local)) descriptors.insert(fd);
        return 0;
      },
      &seen);
  // One that waits for its answer is not watched.
  entrance.connections = seen.descriptors.size() + waiting_.size();
  if (entrance.connections < limits_.connections) {
    entrance.idle.clear();
    evconnlistener_enable(entrance.listener);
    return;
  }
  evconnlistener_disable(entrance.listener);
  make_room(entrance, seen.descriptors);
  thread_.run_after(kCountAgain, [this, &entrance] { count(entrance); });
}

/// Of those that libevent waits for, and that are no stream: so that who connects and says nothing
/// does not keep the kubelet's probes out.
void EventServer::make_room(Entrance& entrance, const std::set<int>& descriptors) {
  const auto now = std::chrono::steady_clock::now();
  auto before = std::exchange(entrance.idle, {});
  for (const int fd : descriptors) {
    struct stat status {};
    int listens = 0;
    socklen_t size = sizeof listens;
    const bool is_stream = std::ranges::any_of(
        streams_, [&](const auto& stream) { return stream->descriptor() == fd; });
    if (is_stream || fstat(fd, &status) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens != 0) {
      continue;
    }
    const std::pair key(fd, status.st_ino);
    const auto since = before.try_emplace(key, now).first->second;
    if (now - since >= kMostIdle) {
      shutdown(fd, SHUT_RDWR);  // libevent reads its end.
    } else {
      entrance.idle.emplace(key, since);
    }
  }
}

// ---- Requests ----------------------------------------------------------------------------------

void EventServer::on_request(const Entrance& entrance, evhttp_request* raw) {
  const evhttp_cmd_type method = evhttp_request_get_command(raw);
  const bool head = method == EVHTTP_REQ_HEAD;
  if (method != EVHTTP_REQ_GET && !head) {
    return send(raw,
                {.status = 405, .body = "only GET and HEAD\n", .headers = {{"Allow", "GET, HEAD"}}},
                false);
  }
  if (entrance.loopback && !is_own_name(raw)) {
    return send(raw, {.status = 403, .body = "this is not the host that you ask for\n"}, head);
  }
  const Request request = request_of(entrance.door, raw);
  if (!head && handler_.is_stream(request)) return open_stream(request, raw);
  if (waiting_.size() >= limits_.waiting) {
    return send(raw, unavailable("too many ask at once"), head);
  }
  const uint64_t number = ++requests_;
  auto waiting = std::make_unique<Waiting>(*this, number, raw, head, nullptr);
  waiting->late.reset(evtimer_new(
      thread_.base(),
      [](evutil_socket_t, short, void* thing) {
        auto& late = *static_cast<Waiting*>(thing);
        late.server.answer(late.number, unavailable("no answer in time"));
      },
      waiting.get()));
  const timeval time = to_timeval(limits_.answer);
  evtimer_add(waiting->late.get(), &time);
  waiting_[number] = std::move(waiting);
  handler_.answer(request, [here = here_, number](Answer given) {
    const std::lock_guard lock(here->mutex);
    EventServer* const server = here->server;
    if (server == nullptr) return;
    server->post([server, number, given = std::move(given)] { server->answer(number, given); });
  });
}

void EventServer::answer(uint64_t number, const Answer& answer) {
  const auto found = waiting_.extract(number);
  if (found.empty()) return;
  const size_t before = unsent_bytes();
  const bool too_much = before > 0 && before + answer.body.size() > limits_.unsent_bytes;
  send(found.mapped()->request,
       too_much ? unavailable("too many answers are not taken by who asked for them") : answer,
       found.mapped()->head);
}

void EventServer::open_stream(const Request& request, evhttp_request* raw) {
  if (streams_.size() >= limits_.streams) {
    return send(raw, unavailable("too many streams of events are open"), false);
  }
  const auto stream = std::make_shared<EventStream>(*this, raw);
  streams_.insert(stream);
  stream->begin();
  handler_.opened(request, stream);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const Limits& limits, Handler handler) {
  auto server = std::make_unique<EventServer>(limits, std::move(handler));
  if (auto begun = server->begin(); !begun) return std::unexpected(std::move(begun).error());
  return server;
}

}  // namespace patchbay::http
