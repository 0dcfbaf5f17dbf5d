#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "http/head.h"
#include "http/server.h"
#include "loop/event_loop.h"

namespace patchbay::http {

/// Reads one request of a peer, sends the answer, and closes. Bytes after the head of the request
/// are ignored. The server's thread.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  struct Callbacks {
    /// A request arrived: call answer(), now or later. An Error is the text for an answer 400.
    std::function<void(Connection&, Result<Head>)> requested;
    std::function<void(const Connection&)> closed;
  };

  /// All references must outlive the object.
  Connection(loop::EventLoop& loop, const Server::Limits& limits, const Callbacks& callbacks,
             UniqueFd socket)
      : loop_(loop), limits_(limits), callbacks_(callbacks), socket_(std::move(socket)) {}

  /// Begins to read the request. Call it once.
  void begin();
  /// Sends the answer. Does nothing if no request waits for an answer.
  void answer(const Answer& answer);
  void close();

  /// Whether a request waits for its answer. Otherwise the connection waits for the peer.
  [[nodiscard]] bool is_pending() const { return state_ == State::pending; }
  /// When the peer last sent or received bytes.
  [[nodiscard]] loop::Time since() const { return since_; }
  /// Number of bytes of the answer that are not sent yet.
  [[nodiscard]] size_t unsent_bytes() const { return output_.size() - sent_; }

 private:
  enum class State { reading, pending, writing, closed };

  void enter(State state, loop::Milliseconds timeout);
  void on_timeout();
  void read_head();
  void write_answer();

  loop::EventLoop& loop_;
  const Server::Limits& limits_;
  const Callbacks& callbacks_;
  UniqueFd socket_;
  loop::Subscription event_;
  loop::Subscription timer_;
  State state_ = State::reading;
  loop::Time since_{};
  bool with_body_ = true;  ///< The method is not HEAD.
  std::string input_;
  std::string output_;
  size_t sent_ = 0;  ///< Sent bytes of output_.
};

/// Returns an answer with status 503.
[[nodiscard]] Answer unavailable(const std::string& why);

}  // namespace patchbay::http
