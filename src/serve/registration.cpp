#include "serve/registration.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.h"

namespace patchbay::serve {
namespace {

using loop::Milliseconds;

/// kubelet.sock is there a moment before the kubelet listens on it: first tries are quick.
constexpr Milliseconds kFirstBackoffOfNewSocket{2};
constexpr Milliseconds kDeletionRetryDelay{50};
constexpr Milliseconds kFirstBackoff{1000};
constexpr Milliseconds kMaxBackoff{5000};
constexpr Milliseconds kStreamTimeout{5000};
/// A stream that lasted so long was meant.
constexpr Milliseconds kStableAfter{10'000};
/// A kubelet that drops what has just registered (kubelet contract 2.3) keeps it the next time.
constexpr int kMaxImmediateRetries = 2;

}  // namespace

Registration::Registration(loop::EventLoop& loop, std::string resource, Actions& actions,
                           uint32_t seed)
    : loop_(loop),
      resource_(std::move(resource)),
      actions_(actions),
      random_(seed),
      since_(loop.now()) {}

void Registration::enter(State state) {
  if (std::exchange(state_, state) != state) since_ = loop_.now();
}

observe::RegistrationStatus Registration::status() const {
  using Shown = observe::RegistrationStatus::State;
  constexpr std::array kShown{Shown::no_kubelet,  Shown::registering, Shown::registering,
                              Shown::backing_off, Shown::registered,  Shown::withdrawing};
  return {.state = kShown.at(static_cast<size_t>(state_)),
          .since = since_,
          .failure = last_failure_,
          .streams = static_cast<size_t>(open_streams_)};
}

void Registration::on_kubelet_socket(std::optional<SocketIdentity> socket) {
  const bool changed = socket != socket_;
  socket_ = socket;
  if (!changed || open_streams_ > 0 || state_ == State::stopped) return;
  if (!socket_) {
    if (state_ == State::registering) return;  // Its answer will tell.
    timer_.reset();
    enter(State::no_kubelet);
    return;
  }
  backoff_ = {};
  dropped_streams_ = 0;
  attempt();
}

void Registration::endpoint_deleted() {
  // With a stream open the kubelet has its connection and needs no path any more.
  if (open_streams_ > 0 || !socket_ || state_ == State::stopped) return;
  // A kubelet that starts deletes all sockets: those that wait for it lose nothing.
  const auto write_log = state_ == State::backing_off ? log::debug : log::info;
  write_log("plugin socket was deleted: registering again", {{"resource", resource_}});
  retry_after(kDeletionRetryDelay);
}

void Registration::attempt() {
  timer_.reset();
  call_.reset();
  re_register_requested_ = false;
  const auto endpoint = actions_.open_endpoint();
  if (!endpoint) return on_failure(endpoint.error().message);
  enter(State::registering);
  stream_opened_ = false;
  registered_with_ = socket_;
  log::debug("registering", {{"resource", resource_}, {"endpoint", *endpoint}});
  call_ = actions_.send_register(*socket_, *endpoint,
                                 [this, attempt = ++attempt_](const RegisterOutcome& outcome) {
                                   on_outcome(attempt, outcome);
                                 });
}

void Registration::on_outcome(uint64_t attempt, const RegisterOutcome& outcome) {
  if (attempt != attempt_ || state_ != State::registering) return;
  switch (outcome.kind) {
    case RegisterOutcome::Kind::accepted:
      on_answer();
      if (stream_opened_ && open_streams_ == 0) return retry_registration();
      await_stream();
      // It may have hung up before its answer was taken in.
      return actions_.check_peers();
    case RegisterOutcome::Kind::timed_out:
      return await_stream();
    case RegisterOutcome::Kind::unreachable:
      return on_unreachable(outcome.message);
    case RegisterOutcome::Kind::refused:
      on_answer();
      return on_failure(outcome.message);
  }
}

void Registration::await_stream() {
  enter(State::awaiting_stream);
  timer_ = loop_.after(kStreamTimeout, [this] {
    if (open_streams_ > 0) return await_stream();  // It is there, its first message is on its way.
    on_failure("the kubelet opened no ListAndWatch stream after Register");
  });
}

void Registration::on_answer() {
  answered_socket_ = registered_with_;
  actions_.reached();
}

void Registration::on_failure(const std::string& what) {
  // Said loud once, then only for those who debug: a back-off goes on for as long as it must.
  const auto write_log = what != last_failure_ ? log::warning : log::debug;
  write_log("cannot register", {{"resource", resource_}, {"reason", what}});
  last_failure_ = what;
  back_off(kFirstBackoff);
}

void Registration::on_unreachable(const std::string& why) {
  log::debug("cannot register", {{"resource", resource_}, {"reason", why}});
  if (socket_) actions_.unreachable(why);
  // One that a kubelet left behind is of no more use: the next one makes a new socket.
  back_off(socket_ == answered_socket_ ? kFirstBackoff : kFirstBackoffOfNewSocket);
}

void Registration::back_off(Milliseconds first) {
  if (!socket_) {
    timer_.reset();
    enter(State::no_kubelet);
    return;
  }
  backoff_ = std::clamp(backoff_ * 2, first, kMaxBackoff);
  std::uniform_int_distribution<int64_t> jitter(std::max<int64_t>(backoff_.count() * 4 / 5, 1),
                                                backoff_.count());
  retry_after(Milliseconds(jitter(random_)));
}

void Registration::retry_after(Milliseconds delay) {
  enter(State::backing_off);
  ++attempt_;
  call_.reset();
  timer_ = loop_.after(delay, [this] { attempt(); });
}

void Registration::stream_event(StreamEvent event) {
  switch (event) {
    case StreamEvent::opened:
      ++open_streams_;
      stream_opened_ = true;
      return;
    case StreamEvent::live:
      if (state_ == State::stopped) return;
      timer_.reset();
      last_failure_.clear();
      on_answer();
      if (state_ != State::live) {
        live_since_ = loop_.now();
        log::info("registered: the kubelet has the list", {{"resource", resource_}});
      }
      enter(State::live);
      if (re_register_requested_) actions_.end_streams();
      return;
    case StreamEvent::ended:
      if (--open_streams_ == 0 && state_ != State::stopped) on_last_stream_ended();
      return;
    case StreamEvent::no_peers:
      return on_no_peers();
  }
}

void Registration::peer_hung_up() {
  if (state_ == State::awaiting_stream && open_streams_ == 0) actions_.check_peers();
}

/// A kubelet up to 1.36 that sees the end of an older stream late disconnects who has registered
/// meanwhile (kubelet contract 2.3). An answer for an earlier attempt comes before its own has been
/// accepted: until then the kubelet dials.
void Registration::on_no_peers() {
  if (state_ != State::awaiting_stream || open_streams_ > 0) return;
  log::info("kubelet disconnected before it opened a stream", {{"resource", resource_}});
  retry_registration();
}

void Registration::re_register() {
  if (state_ == State::stopped || !socket_) return;
  log::info("re-registering: plugin options changed", {{"resource", resource_}});
  // A stream that is on its way is waited for: beside that of a newer registration it would stay.
  const bool stream_expected = state_ == State::registering || state_ == State::awaiting_stream;
  if (open_streams_ == 0 && !stream_expected) return attempt();
  re_register_requested_ = true;
  if (open_streams_ > 0) actions_.end_streams();
}

void Registration::stop() {
  enter(State::stopped);
  timer_.reset();
  call_.reset();
}

void Registration::on_last_stream_ended() {
  const bool was_live = state_ == State::live;
  if (was_live) {
    log::info("kubelet closed the stream", {{"resource", resource_}});
    if (loop_.now() - live_since_ >= kStableAfter) {
      dropped_streams_ = 0;
      backoff_ = {};
    }
  }
  if (!socket_) {
    timer_.reset();
    enter(State::no_kubelet);
    return;
  }
  if (re_register_requested_ || socket_ != registered_with_) return attempt();
  // While Register is under way, its answer tells more.
  if (was_live || state_ == State::awaiting_stream) retry_registration();
}

void Registration::retry_registration() {
  if (socket_ && ++dropped_streams_ <= kMaxImmediateRetries) return attempt();
  back_off(kFirstBackoff);
}

}  // namespace patchbay::serve
