#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "loop/event_loop.h"

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
};

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::map<std::string, std::string> headers{};
};

/// Serves HTTP/1.1 on a thread of its own, which sleeps while there are no requests. It accepts
/// only GET and HEAD; other methods get the answer 405. Each connection has one request, and closes
/// after the answer. So peers are served in the order of their requests. Limits bound the resources
/// that peers use. The handler must not block, but may answer later.
class Server {
 public:
  /// Limits of each listening socket.
  struct Limits {
    /// While all connections are in use, a new connection replaces the one whose peer has been
    /// silent for the longest time. Connections that wait for an answer are kept.
    size_t connections = 64;
    size_t head_bytes = 8192;
    std::chrono::seconds idle_timeout{10};   ///< For a peer that neither sends nor reads.
    std::chrono::seconds answer_timeout{5};  ///< A later answer is replaced by 503.
    size_t waiting_requests = 16;            ///< Requests without an answer yet.
    size_t unsent_bytes = size_t{8} << 20U;  ///< Total of all answers that are not sent yet.
  };

  /// Answers a request. Call it once. Any thread, even after the server was destroyed.
  using Reply = std::function<void(const Answer&)>;

  /// Called on the server's thread.
  struct Handler {
    std::function<void(const Request&, Reply)> answer;
    /// Whether to answer this request regardless of waiting_requests. Its answer must be cheap.
    std::function<bool(const Request&)> is_probe = [](const Request&) { return false; };
  };

  [[nodiscard]] static std::unique_ptr<Server> start(const Limits& limits, Handler handler);
  /// Calls finish(), and closes all connections.
  virtual ~Server() = default;

  /// Ends the thread, so that the handler is not called afterwards. The owner must call it while
  /// the objects that the handler uses still exist.
  virtual void finish() = 0;

  /// Serves the connections of a listening socket. `loopback`: only this machine can reach the
  /// socket, so a request with a foreign Host header is refused, against DNS rebinding. A socket
  /// with Origin::local replaces the previous one. Any thread.
  virtual void listen(UniqueFd socket, Origin origin, bool loopback) = 0;
  /// The loop of the server's thread.
  [[nodiscard]] virtual loop::EventLoop& loop() = 0;
};

}  // namespace patchbay::http
