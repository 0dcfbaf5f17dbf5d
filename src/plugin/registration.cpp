#include "plugin/registration.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.h"

namespace patchbay::plugin {
namespace {

using loop::Milliseconds;

/// kubelet.sock exists shortly before the kubelet listens on it: the first retries are quick.
constexpr Milliseconds kFirstBackoffOfNewSocket{2};
constexpr Milliseconds kDeletionRetryDelay{50};
constexpr Milliseconds kFirstBackoff{1000};
constexpr Milliseconds kMaxBackoff{5000};
constexpr Milliseconds kStreamTimeout{5000};
/// A stream of this duration was not dropped early.
constexpr Milliseconds kStableAfter{10'000};
/// A kubelet that drops a fresh registration (docs/dev/kubelet.md: Repeated registration) keeps the
/// next one.
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

status::RegistrationStatus Registration::status() const {
  using Shown = status::RegistrationStatus::State;
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
    if (state_ == State::registering) return;  // Its result decides.
    timer_.reset();
    enter(State::no_kubelet);
    return;
  }
  attempt();
}

void Registration::endpoint_deleted() {
  // While a stream is open, the kubelet has its connection and does not need the path.
  if (open_streams_ > 0 || !socket_ || state_ == State::stopped) return;
  // A starting kubelet deletes all sockets: resources that wait for it are not affected.
  const auto write_log = state_ == State::backing_off ? log::debug : log::info;
  write_log("plugin socket was deleted: registering again", {{"resource", resource_}});
  retry_after(kDeletionRetryDelay);
}

void Registration::attempt() {
  timer_.reset();
  call_.reset();
  re_register_requested_ = false;
  if (std::exchange(attempt_socket_, socket_) != socket_) {  // Another kubelet.
    backoff_ = {};
    dropped_attempts_ = 0;
  }
  const auto endpoint = actions_.open_endpoint();
  if (!endpoint) return on_failure(endpoint.error().message);
  enter(State::registering);
  stream_opened_ = false;
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
      // The peer may have hung up before its answer was processed.
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
    // The stream is open; its first message is being written.
    if (open_streams_ > 0) return await_stream();
    on_failure("the kubelet opened no ListAndWatch stream after Register");
  });
}

void Registration::on_answer() {
  answered_socket_ = attempt_socket_;
  actions_.reached();
}

void Registration::on_failure(const std::string& what) {
  // A warning once; then debug lines only, because a back-off may last for long.
  const auto write_log = what != last_failure_ ? log::warning : log::debug;
  write_log({"cannot register", log::EventKind::unregistered},
            {{"resource", resource_}, {"reason", what}});
  last_failure_ = what;
  back_off(kFirstBackoff);
}

void Registration::on_unreachable(const std::string& why) {
  log::debug({"cannot register", log::EventKind::unregistered},
             {{"resource", resource_}, {"reason", why}});
  if (socket_) actions_.unreachable(why);
  // A socket that an ended kubelet left is useless: the next kubelet makes a new one.
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
  call_.reset();
  // The kubelet may open a stream late, to the endpoint of the failed attempt.
  timer_ = loop_.after(delay, [this] { open_streams_ > 0 ? await_stream() : attempt(); });
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
        log::info({"registered: the kubelet has the list", log::EventKind::registered},
                  {{"resource", resource_}});
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

void Registration::peer_disconnected() {
  if (state_ == State::awaiting_stream && open_streams_ == 0) actions_.check_peers();
}

/// Up to Kubernetes 1.36, a kubelet that sees the end of an older stream late disconnects a plugin
/// that registered meanwhile (docs/dev/kubelet.md: Repeated registration). Before Register of the
/// current attempt is accepted, the event belongs to an earlier attempt and is ignored: the kubelet
/// still has to connect.
void Registration::on_no_peers() {
  if (state_ != State::awaiting_stream || open_streams_ > 0) return;
  log::info("kubelet disconnected before it opened a stream", {{"resource", resource_}});
  retry_registration();
}

void Registration::re_register() {
  if (state_ == State::stopped || !socket_) return;
  log::info({"re-registering: plugin options changed", log::EventKind::unregistered},
            {{"resource", resource_}});
  // Wait for an expected stream: it would stay open beside the stream of the newer registration.
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
    if (!re_register_requested_) {
      log::info({"kubelet closed the stream", log::EventKind::unregistered},
                {{"resource", resource_}});
    }
    if (loop_.now() - live_since_ >= kStableAfter) {
      dropped_attempts_ = 0;
      backoff_ = {};
    }
  }
  if (!socket_) {
    timer_.reset();
    enter(State::no_kubelet);
    return;
  }
  if (re_register_requested_ || socket_ != attempt_socket_) return attempt();
  // While Register is in progress, its result decides.
  if (was_live || state_ == State::awaiting_stream) retry_registration();
}

void Registration::retry_registration() {
  if (socket_ && ++dropped_attempts_ <= kMaxImmediateRetries) return attempt();
  back_off(kFirstBackoff);
}

}  // namespace patchbay::plugin
