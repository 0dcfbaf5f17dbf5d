#include "serve/registration.h"

#include <algorithm>

#include "base/log.h"

namespace patchbay::serve {
namespace {

using loop::Milliseconds;

/// kubelet.sock is there before the kubelet listens on it: first tries are quick.
constexpr Milliseconds kFirstUnreachableBackoff{50};
constexpr Milliseconds kFirstBackoff{1000};
constexpr Milliseconds kMaxBackoff{30'000};
constexpr Milliseconds kStreamPatience{5000};
/// The kubelet needs a moment to take note of a stream's end before it hears of us again.
constexpr Milliseconds kAfterStreamEnd{1000};

}  // namespace

Registration::Registration(loop::EventLoop& loop, std::string resource, Actions& actions,
                           uint32_t seed)
    : loop_(loop), resource_(std::move(resource)), actions_(actions), random_(seed) {}

void Registration::kubelet_socket(std::optional<SocketIdentity> socket) {
  const bool changed = socket != socket_;
  socket_ = socket;
  if (!changed || open_streams_ > 0) return;
  if (!socket_) {
    if (state_ == State::registering) return;  // Its answer will tell.
    timer_.reset();
    state_ = State::no_kubelet;
    return;
  }
  backoff_ = {};
  attempt();
}

void Registration::endpoint_deleted() {
  // With a stream open the kubelet has its connection and needs no path any more.
  if (open_streams_ > 0 || !socket_) return;
  log::info("the plugin's socket was deleted", {{"resource", resource_}});
  retry_after(kFirstUnreachableBackoff);
}

void Registration::attempt() {
  timer_.reset();
  const auto endpoint = actions_.open_endpoint();
  if (!endpoint) return on_failure(endpoint.error().message, false);
  state_ = State::registering;
  registered_with_ = socket_;
  log::debug("registering", {{"resource", resource_}, {"endpoint", *endpoint}});
  actions_.send_register(*socket_, *endpoint,
                         [this, attempt = ++attempt_](const RegisterOutcome& outcome) {
                           on_outcome(attempt, outcome);
                         });
}

void Registration::on_outcome(uint64_t attempt, const RegisterOutcome& outcome) {
  if (attempt != attempt_ || state_ != State::registering) return;
  switch (outcome.kind) {
    case RegisterOutcome::Kind::accepted:
    case RegisterOutcome::Kind::timed_out:
      return await_stream();
    case RegisterOutcome::Kind::unreachable:
    case RegisterOutcome::Kind::refused:
      return on_failure(outcome.message, outcome.kind == RegisterOutcome::Kind::unreachable);
  }
}

void Registration::await_stream() {
  state_ = State::awaiting_stream;
  timer_ = loop_.after(kStreamPatience, [this] {
    if (open_streams_ > 0) return await_stream();  // It is there, its first message is on its way.
    on_failure("the kubelet opened no ListAndWatch stream after Register", false);
  });
}

void Registration::on_failure(const std::string& what, bool unreachable) {
  // Said loud once, then only for those who debug: a back-off goes on for as long as it must.
  if (what != last_failure_) {
    log::warning("cannot register", {{"resource", resource_}, {"reason", what}});
  } else {
    log::debug("cannot register", {{"resource", resource_}, {"reason", what}});
  }
  last_failure_ = what;
  if (!socket_) {
    state_ = State::no_kubelet;
    return;
  }
  const Milliseconds first = unreachable ? kFirstUnreachableBackoff : kFirstBackoff;
  backoff_ = std::clamp(backoff_ * 2, first, kMaxBackoff);
  std::uniform_int_distribution<int64_t> jitter(backoff_.count() * 4 / 5, backoff_.count());
  retry_after(Milliseconds(jitter(random_)));
}

void Registration::retry_after(Milliseconds delay) {
  state_ = State::backing_off;
  ++attempt_;
  timer_ = loop_.after(delay, [this] { attempt(); });
}

void Registration::stream_event(StreamEvent event) {
  switch (event) {
    case StreamEvent::opened:
      ++open_streams_;
      return;
    case StreamEvent::live:
      timer_.reset();
      backoff_ = {};
      last_failure_.clear();
      if (state_ != State::live) {
        log::info("registered: the kubelet has the list", {{"resource", resource_}});
      }
      state_ = State::live;
      return;
    case StreamEvent::ended:
      if (--open_streams_ == 0) on_last_stream_ended();
      return;
  }
}

void Registration::on_last_stream_ended() {
  const bool was_live = state_ == State::live;
  if (was_live) log::info("the kubelet closed the stream", {{"resource", resource_}});
  if (!socket_) {
    timer_.reset();
    state_ = State::no_kubelet;
    return;
  }
  if (socket_ != registered_with_) return attempt();
  if (was_live) retry_after(kAfterStreamEnd);
  // Otherwise a stream that never came to its first message: the running timer or call goes on.
}

}  // namespace patchbay::serve
