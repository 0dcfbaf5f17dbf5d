#include "driver/registration_tracker.h"

#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace patchbay::driver {
namespace {

using State = DriverRegistration::State;

/// The kubelet's texts contain the path of a socket and a list of services.
constexpr size_t kMaxShownError = 500;

}  // namespace

RegistrationTracker::RegistrationTracker(loop::EventLoop& loop, std::string driver,
                                         std::function<void()> on_change)
    : loop_(loop), driver_(std::move(driver)), on_change_(std::move(on_change)) {}

void RegistrationTracker::sockets_failed(const std::string& reason) {
  failure_ = reason;
  update();
}

void RegistrationTracker::sockets_opened(Paths paths) {
  failure_.clear();
  paths_ = std::move(paths);
  answer_.reset();
  connected_ = false;
  was_connected_ = false;
  update();
}

void RegistrationTracker::kubelet_answered(bool registered, const std::string& error) {
  answer_ = {.registered = registered, .error = printable(error, kMaxShownError)};
  if (!connected_) wait_for_connection();
  update();
}

void RegistrationTracker::set_connected(bool connected) {
  if (std::exchange(connected_, connected) == connected) return;
  was_connected_ = true;
  if (!connected) wait_for_connection();
  update();
}

void RegistrationTracker::wait_for_connection() {
  may_connect_ = true;
  connect_timer_ = loop_.after(kConnectTime, [this] {
    may_connect_ = false;
    update();
  });
}

DriverRegistration RegistrationTracker::derive() const {
  if (!failure_.empty()) return {.state = State::no_socket, .reason = failure_};
  if (!answer_) {
    return {.state = State::waiting,
            .reason = "the kubelet has not called " + paths_.registration +
                      ": check that it runs, and that this is its directory"};
  }
  if (!answer_->registered) {
    return {.state = State::rejected,
            .reason = "the kubelet rejects it (" + answer_->error +
                      "); check that Kubernetes is 1.34 or newer"};
  }
  if (connected_ || may_connect_) return {.state = State::registered};
  if (was_connected_) {
    return {.state = State::disconnected,
            .reason = "the kubelet has disconnected: check that it runs"};
  }
  return {.state = State::disconnected,
          .reason = "the kubelet does not connect to " + paths_.service +
                    ": mount its directory at the path that it has on the host"};
}

void RegistrationTracker::update() {
  auto next = derive();
  if (next == registration_) return;
  const bool changed = next.state != registration_.state;
  registration_ = std::move(next);
  if (changed || registration_.state != State::waiting) log_change();
  loop_.post(weak_self_.guard([](const RegistrationTracker& tracker) { tracker.on_change_(); }));
}

void RegistrationTracker::log_change() const {
  if (registration_.state == State::registered) {
    return log::info({"registered the DRA driver", log::EventKind::registered},
                     {{"driver", driver_}});
  }
  const log::Message message("the DRA driver is not registered", log::EventKind::unregistered);
  const log::Fields fields{{"driver", driver_}, {"reason", registration_.reason}};
  // A kubelet that restarts disconnects; and each driver waits at first.
  const bool is_normal = registration_.state == State::waiting ||
                         (registration_.state == State::disconnected && was_connected_);
  if (is_normal) return log::info(message, fields);
  log::warning(message, fields);
}

}  // namespace patchbay::driver
