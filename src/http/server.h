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

/// Through which origin a request came.
enum class Origin {
  local,    ///< The unix socket: root of this machine.
  network,  ///< TCP: whoever reaches it.
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

/// Answers over HTTP/1.1, in a thread of its own that sleeps while nobody asks. Read-only: GET and
/// HEAD; all else is answered 405. What a peer may take is bounded: connections, the size of a
/// request's head, how long it may take, requests that wait for their answer, streams. A connection
/// has one request at a time, and is closed where more was sent. Its handler must not wait: what
/// takes longer is answered later.
class Server {
 public:
  struct Limits {
    size_t connections = 64;                ///< Of each origin.
    size_t head_bytes = 8192;               ///< That a connection holds unread bytes of, too.
    std::chrono::seconds idle_timeout{10};  ///< A peer that neither sends nor takes goes.
    /// While all connections are in use, one that has been idle for this time is evicted.
    std::chrono::milliseconds eviction_idle{100};
    std::chrono::seconds answer_timeout{5};  ///< What is not answered by then is answered 503.
    size_t waiting_requests = 16;            ///< Requests that wait for their answer.
    size_t streams = 8;
    size_t unsent_bytes = size_t{8} << 20U;    ///< Of answers that peers have not taken, all told.
    size_t stream_bytes = size_t{256} << 10U;  ///< That a stream's peer has not taken.
  };

  /// Answers a request, once. Any thread; the server may have gone.
  using Reply = std::function<void(Answer)>;

  /// One stream of server-sent events. The server's thread, until `closed` was called.
  class Stream {
   public:
    virtual ~Stream() = default;
    /// `text` is one or more whole events. A peer that does not take them loses the stream.
    virtual void send(const std::string& text) = 0;
    virtual void end() = 0;
  };

  struct Handler {
    std::function<void(const Request&, Reply)> answer;
    /// Whether this request is answered however many others wait: its answer must cost little.
    std::function<bool(const Request&)> is_liveness = [](const Request&) { return false; };
    /// Whether this request is for a stream of events.
    std::function<bool(const Request&)> is_stream;
    std::function<void(const Request&, const std::shared_ptr<Stream>&)> opened;
    std::function<void(const std::shared_ptr<Stream>&)> closed;
  };

  /// Called on the server's thread, all of it.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const Limits& limits, Handler handler);
  /// As finish(); and ends all connections.
  virtual ~Server() = default;

  /// Joins the thread: no handler is called any more. Its owner calls it while handlers may still
  /// use what they belong to.
  virtual void finish() = 0;

  /// Serves what comes at the listening socket. `loopback`: only this machine reaches it, and a
  /// browser that was led there under a foreign name is refused. A local socket takes the place of
  /// the one before. Any thread.
  virtual void listen(UniqueFd socket, Origin origin, bool loopback) = 0;
  /// Runs `task` on the server's thread, soon, or after that time. Any thread.
  virtual void post(std::function<void()> task) = 0;
  virtual void after(std::chrono::milliseconds delay, std::function<void()> task) = 0;
};

}  // namespace patchbay::http
