#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace patchbay::http {

/// The socket over which a request arrived.
enum class Origin {
  local,    ///< The unix socket: root on this machine.
  network,  ///< TCP: any peer that can reach it.
};

struct Request {
  Origin origin = Origin::local;
  std::string path;
  std::map<std::string, std::string> query;
  std::string accept;
  std::string last_event_id;
};

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::map<std::string, std::string> headers{};
};

/// Serves HTTP/1.1 on a thread of its own that sleeps without requests. It is read-only: GET and
/// HEAD, everything else is answered 405. Limits bound the resources of peers: connections, the
/// size of a head, time, waiting requests and streams. A connection has one request at a time, and
/// closes after a pipelined one. The handler must not block: it may answer later.
class Server {
 public:
  struct Limits {
    size_t connections = 64;                ///< For each origin.
    size_t head_bytes = 8192;               ///< Maximum head, and unread bytes of a connection.
    std::chrono::seconds idle_timeout{10};  ///< A peer that neither sends nor reads is closed.
    /// While all connections are in use, one that has been idle for this time is evicted.
    std::chrono::milliseconds eviction_idle{100};
    std::chrono::seconds answer_timeout{5};  ///< A later answer is replaced by 503.
    size_t waiting_requests = 16;            ///< Requests without an answer yet.
    size_t streams = 8;
    size_t unsent_bytes = size_t{8} << 20U;    ///< Total of all answers not taken by their peers.
    size_t stream_bytes = size_t{256} << 10U;  ///< Bytes of a stream not taken by its peer.
  };

  /// Answers a request, once. Any thread, also after the server was destroyed.
  using Reply = std::function<void(Answer)>;

  /// A stream of server-sent events. The server's thread, until `closed` was called.
  class Stream {
   public:
    virtual ~Stream() = default;
    /// `text` has one or more complete events. A peer that does not read them loses the stream.
    virtual void send(const std::string& text) = 0;
    virtual void end() = 0;
  };

  struct Handler {
    std::function<void(const Request&, Reply)> answer;
    /// Whether this request is answered regardless of waiting_requests: its answer must be cheap.
    std::function<bool(const Request&)> is_liveness = [](const Request&) { return false; };
    /// Whether this request opens a stream of events.
    std::function<bool(const Request&)> is_stream;
    std::function<void(const Request&, const std::shared_ptr<Stream>&)> opened;
    std::function<void(const std::shared_ptr<Stream>&)> closed;
  };

  /// The handler is called on the server's thread.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const Limits& limits, Handler handler);
  /// Calls finish(), and closes all connections.
  virtual ~Server() = default;

  /// Joins the thread: the handler is not called afterwards. The owner must call it while objects
  /// that the handler uses still exist.
  virtual void finish() = 0;

  /// Serves the connections of a listening socket. `loopback`: only this machine reaches it, so a
  /// request with a foreign host name is refused (DNS rebinding). A local socket replaces the
  /// previous one. Any thread.
  virtual void listen(UniqueFd socket, Origin origin, bool loopback) = 0;
  /// Runs `task` on the server's thread, soon or after `delay`. Any thread.
  virtual void post(std::function<void()> task) = 0;
  virtual void after(std::chrono::milliseconds delay, std::function<void()> task) = 0;
};

}  // namespace patchbay::http
