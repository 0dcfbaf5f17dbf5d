#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <event2/event.h>

#include "base/result.h"
#include "base/unique_fd.h"
#include "http/event_thread.h"
#include "http/head.h"
#include "http/server.h"

namespace patchbay::http {

/// Handles one peer of the server: it reads one request at a time and sends its answer. It reads no
/// further bytes until the peer has read the answer, so these stay in the kernel. If bytes followed
/// the request, it closes after the answer. A stream ends when its peer sends anything. The
/// server's thread.
class Connection final : public Server::Stream, public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  class Owner {
   public:
    virtual ~Owner() = default;
    /// Call answer() or become_stream() for it, now or later. An Error: answer 400.
    virtual void on_request(Connection& connection, Result<Head> head) = 0;
    /// The answer timed out.
    virtual void on_timeout(Connection& connection) = 0;
    /// The connection is closed; it may be destroyed.
    virtual void on_closed(Connection& connection) = 0;
  };

  /// `owner` and `limits` outlive it.
  Connection(Owner& owner, event_base* base, const Server::Limits& limits, UniqueFd socket);

  /// Reads the first request. Once.
  void begin();
  /// `with_body`: false for HEAD. It closes after the answer if `close`, or if the request requires
  /// it.
  void answer(const Answer& answer, bool with_body, bool close);
  /// False: it is closed.
  [[nodiscard]] bool become_stream();
  void close();
  /// As close(), but without on_closed().
  void close_silently();

  // Server::Stream
  void send(const std::string& text) override;
  void end() override;

  /// The server waits for the peer, and no bytes from or to the peer are ready for this thread. It
  /// polls the socket, because the thread may be late.
  [[nodiscard]] bool is_idle() const;
  /// Also after it was closed.
  [[nodiscard]] bool is_stream() const { return is_stream_; }
  /// When it began to read this request, or to send this answer.
  [[nodiscard]] Clock::time_point since() const { return since_; }
  /// Number of bytes of the answer that the peer has not taken.
  [[nodiscard]] size_t unsent_bytes() const {
    return state_ == State::writing ? output_.size() - sent_ : 0;
  }
  /// Whether bytes followed the request: no further request is read.
  [[nodiscard]] bool has_excess() const { return excess_; }

 private:
  enum class State { reading, waiting, writing, stream, closed };

  void enter(State state, short events, std::chrono::milliseconds timeout);
  void watch(short events, std::chrono::milliseconds timeout);
  void on_event(short what);
  void read_head();
  void read_on_stream();
  /// False: the peer is gone.
  bool write_some();
  void continue_answer();
  void continue_stream();

  Owner& owner_;
  event_base* base_;
  const Server::Limits& limits_;
  UniqueFd socket_;
  Timer event_;
  State state_ = State::reading;
  Clock::time_point since_ = Clock::now();
  std::string input_;
  std::string output_;
  size_t sent_ = 0;  ///< Sent bytes of output_.
  bool is_stream_ = false;
  bool close_ = false;
  bool excess_ = false;
};

}  // namespace patchbay::http
