#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"
#include "plugin/kubelet_directory.h"
#include "plugin/resource_channel.h"
#include "status/registration_status.h"

/// Registers one resource with the kubelet, so that the kubelet opens a ListAndWatch stream.
/// ResourceServer performs the Actions, and passes two kinds of events to Registration. The events
/// of kubelet.sock come from KubeletDirectory. The events of the streams come from ResourceChannel.
///
/// To add a state:
/// - Extend State and kShown (registration.cpp), and handle the events that enter and leave the
///   state.
/// - Test each event in this state in registration_test.cpp, with fake Actions.
/// - Test the order of calls in the real protocol with the fake kubelet (test/fake).
namespace patchbay::plugin {

/// The result of a Register call.
struct RegisterOutcome {
  enum class Kind {
    accepted,
    /// No answer came in time. The kubelet may nevertheless have accepted the call
    /// (docs/dev/kubelet.md: Register).
    timed_out,
    unreachable,  ///< No process listens on kubelet.sock.
    refused,      ///< The kubelet answered with an error.
  };
  Kind kind = Kind::accepted;
  std::string message;  ///< gRPC's message, unless accepted.
};

/// Keeps one resource registered with the kubelet (see docs/dev/kubelet.md).
///
/// The resource counts as registered only while a ListAndWatch stream is open whose first message
/// was written. While a stream is open, Register is not called.
///
/// Register is called again after the last stream has ended, or if no stream opens within 5 s. Each
/// attempt uses a fresh endpoint (socket), which listens before the call. After the end of a
/// stream, the first two retries are immediate, and further retries back off. A new kubelet, or a
/// stream that was live for 10 s, resets the count of retries. If the kubelet accepts Register and
/// disconnects without a stream, the disconnection counts as the end of a stream. Loop thread.
class Registration {
 public:
  /// The operations that a registration performs.
  class Actions {
   public:
    virtual ~Actions() = default;
    /// Closes the previous endpoint and listens at a fresh one. Returns the file name of the fresh
    /// endpoint.
    virtual Result<std::string> open_endpoint() = 0;
    /// Calls Register. Destroying the Subscription cancels the call and discards its result.
    [[nodiscard]] virtual loop::Subscription send_register(
        const SocketIdentity& kubelet, const std::string& endpoint,
        std::move_only_function<void(RegisterOutcome)> done) = 0;
    /// Ends the open streams.
    virtual void end_streams() = 0;
    /// Requests StreamEvent::no_peers, which is reported only if no peer is connected.
    virtual void check_peers() = 0;
    /// Reports that no kubelet answers at kubelet.sock. KubeletAvailability logs the failure once
    /// for all resources.
    virtual void unreachable(const std::string& reason) = 0;
    /// Reports that the kubelet answered Register, with success or an error, or that a stream is
    /// live.
    virtual void reached() = 0;
  };

  Registration(loop::EventLoop& loop, std::string resource, Actions& actions, uint32_t seed);

  /// Sets the identity of kubelet.sock; null if no socket exists. Called at start and whenever the
  /// identity may have changed.
  void on_kubelet_socket(std::optional<SocketIdentity> socket);
  /// Called when another process deleted the endpoint's socket file.
  void endpoint_deleted();
  void stream_event(StreamEvent event);
  /// Called when a peer of the endpoint disconnected.
  void peer_disconnected();
  /// Registers again, because the plugin options changed. Ends the open streams before the next
  /// Register. If no stream is open but a stream is expected (State::registering,
  /// State::awaiting_stream), ends the expected stream after its first message was written.
  void re_register();
  /// Stops the registration: no later event causes a call of Register.
  void stop();
  [[nodiscard]] bool has_streams() const { return open_streams_ > 0; }
  [[nodiscard]] status::RegistrationStatus status() const;

 private:
  enum class State {
    no_kubelet,       ///< kubelet.sock does not exist.
    registering,      ///< Register is in progress.
    awaiting_stream,  ///< Register was accepted or timed out; a stream is expected.
    backing_off,      ///< When the timer fires, Register is called again.
    live,             ///< A stream is open and its first message was written.
    stopped,          ///< The resource was withdrawn.
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
  loop::Time since_;  ///< Time of entry into the state.
  std::optional<SocketIdentity> socket_;
  std::optional<SocketIdentity> attempt_socket_;   ///< The socket of the last attempt.
  std::optional<SocketIdentity> answered_socket_;  ///< The last socket whose kubelet answered.
  int open_streams_ = 0;
  bool stream_opened_ = false;          ///< A stream was opened in this attempt.
  bool re_register_requested_ = false;  ///< Call Register after the last stream ends.
  /// Number of the last attempt. Results of earlier attempts are ignored.
  uint64_t attempt_ = 0;
  loop::Time live_since_;
  /// Number of retries after dropped streams. A new kubelet, or a stream that was live for 10 s,
  /// resets the count.
  int dropped_attempts_ = 0;
  loop::Milliseconds backoff_{};
  std::string last_failure_;
  loop::Subscription timer_;
  loop::Subscription call_;  ///< Call of the last attempt.
};

}  // namespace patchbay::plugin
