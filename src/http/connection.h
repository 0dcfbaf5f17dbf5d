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

/// One peer of the server: reads one request at a time and sends its answer. It reads nothing until
/// the peer has taken the answer, so what a peer sends meanwhile stays in the kernel. It closes
/// after the answer if bytes followed the request. A stream ends when its peer sends anything. The
/// server's thread.
class Connection final : public Server::Stream, public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  class Owner {
   public:
    virtual ~Owner() = default;
    /// To be answered by answer() or become_stream(), then or later. An Error: the answer 400.
    virtual void on_request(Connection& connection, Result<Head> head) = 0;
    /// No answer was given in time.
    virtual void on_timeout(Connection& connection) = 0;
    /// It may be destroyed.
    virtual void on_closed(Connection& connection) = 0;
  };

  /// Its owner and `limits` outlive it.
  Connection(Owner& owner, event_base* base, const Server::Limits& limits, UniqueFd socket);

  /// Reads the first request. Once.
  void begin();
  /// `with_body`: false to HEAD. It is closed afterwards if `close`, or if the request says so.
  void answer(const Answer& answer, bool with_body, bool close);
  /// False: it is closed.
  [[nodiscard]] bool become_stream();
  void close();
  /// As close(), of which the owner hears nothing.
  void close_silently();

  // Server::Stream
  void send(const std::string& text) override;
  void end() override;

  /// The server waits for the peer, and the peer has neither sent nor received anything that this
  /// thread has yet to handle. Asks the kernel: the thread may be late.
  [[nodiscard]] bool is_idle() const;
  /// Also when it is closed.
  [[nodiscard]] bool is_stream() const { return is_stream_; }
  /// Since when it has read this request, or sent this answer.
  [[nodiscard]] Clock::time_point since() const { return since_; }
  /// How many bytes of an answer the peer has not taken.
  [[nodiscard]] size_t unsent_bytes() const {
    return state_ == State::writing ? output_.size() - sent_ : 0;
  }
  /// Whether bytes came behind the request: no other will be read.
  [[nodiscard]] bool has_excess() const { return excess_; }

 private:
  enum class State { reading, waiting, writing, stream, closed };

  void enter(State state, short events, std::chrono::milliseconds timeout);
  void watch(short events, std::chrono::milliseconds timeout);
  void on_event(short what);
  void read_head();
  void read_on_stream();
  /// False: the peer has gone.
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
  size_t sent_ = 0;  ///< Of `output_`.
  bool is_stream_ = false;
  bool close_ = false;
  bool excess_ = false;
};

}  // namespace patchbay::http
