#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"
#include "observe/registration_status.h"
#include "serve/plugin_service.h"
#include "serve/socket_identity.h"

namespace patchbay::serve {

/// Keeps one resource registered with the kubelet (kubelet contract 2.1, 2.3, 3.2).
///
/// The only truth is a ListAndWatch stream whose first message was written. While a stream is open
/// nothing is ever registered; when the last one has ended, or none came, it is tried again, each
/// time at a fresh endpoint that listens before Register is called. After a stream that is at once,
/// and once more if the kubelet drops the new one, too; then with back-off. A kubelet that accepts
/// and then hangs up opens no stream any more: that is the same. Loop thread.
class Registration {
 public:
  /// What it does to the world.
  class Actions {
   public:
    virtual ~Actions() = default;
    /// Closes the old endpoint, if there is one, and listens at a fresh one; its file name.
    virtual Result<std::string> open_endpoint() = 0;
    /// To end the Subscription cancels the call: its answer is of no use any more.
    [[nodiscard]] virtual loop::Subscription send_register(
        const SocketIdentity& kubelet, const std::string& endpoint,
        std::move_only_function<void(RegisterOutcome)> done) = 0;
    /// Ends the streams that are open.
    virtual void end_streams() = 0;
    /// Asks for StreamEvent::no_peers.
    virtual void check_peers() = 0;
    /// Nobody answers at kubelet.sock: of all resources the same, so it is not said here.
    virtual void unreachable(const std::string& reason) = 0;
    /// The kubelet answered, whatever it said.
    virtual void reached() = 0;
  };

  Registration(loop::EventLoop& loop, std::string resource, Actions& actions, uint32_t seed);

  /// What is at kubelet.sock now; none: no file. Told at start and whenever it may have changed.
  void on_kubelet_socket(std::optional<SocketIdentity> socket);
  /// The endpoint's socket file was deleted by somebody else.
  void endpoint_deleted();
  void stream_event(StreamEvent event);
  /// Who was connected to the endpoint has gone.
  void peer_hung_up();
  /// What Register says of the resource is another now. Ends the streams that are open, and one
  /// that is on its way when it has come; then it is said.
  void re_register();
  /// Registers no more.
  void stop();
  [[nodiscard]] bool has_streams() const { return open_streams_ > 0; }
  [[nodiscard]] observe::RegistrationStatus status() const;

 private:
  enum class State {
    no_kubelet,       ///< Nothing at kubelet.sock: waits for it.
    registering,      ///< Register is under way.
    awaiting_stream,  ///< Register is answered; the kubelet's stream is not there yet.
    backing_off,      ///< Tries again when the timer fires.
    live,             ///< A stream is open and its first message was written.
    stopped,          ///< The resource is offered no more.
  };

  void enter(State state);
  void attempt();
  void on_outcome(uint64_t attempt, const RegisterOutcome& outcome);
  void on_failure(const std::string& what);
  void on_unreachable(const std::string& why);
  void on_answer();
  void back_off(loop::Milliseconds first);
  void retry_after(loop::Milliseconds delay);
  void await_stream();
  void on_last_stream_ended();
  void on_no_peers();
  void retry_registration();

  loop::EventLoop& loop_;
  std::string resource_;
  Actions& actions_;
  std::minstd_rand random_;
  State state_ = State::no_kubelet;
  loop::Time since_;  ///< Since when it is so.
  std::optional<SocketIdentity> socket_;
  std::optional<SocketIdentity> registered_with_;
  std::optional<SocketIdentity> answered_socket_;  ///< The last at which a kubelet did.
  int open_streams_ = 0;
  bool stream_opened_ = false;          ///< A stream, since the last attempt began.
  bool re_register_requested_ = false;  ///< Ends them, and registers when the last has ended.
  uint64_t attempt_ = 0;                ///< Answers of earlier attempts are stale.
  loop::Time live_since_;
  int dropped_streams_ = 0;  ///< Streams in turn that the kubelet ended, none of which lasted.
  loop::Milliseconds backoff_{};
  std::string last_failure_;
  loop::Subscription timer_;
  loop::Subscription call_;  ///< Of the last attempt.
};

}  // namespace patchbay::serve
