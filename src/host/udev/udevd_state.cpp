#include "host/udev/udevd_state.h"

#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/unique_fd.h"
#include "base/unix_address.h"

namespace patchbay::host {

UdevdState::UdevdState(loop::Inotify& inotify, std::string directory, Callbacks callbacks)
    : directory_(std::move(directory)),
      callbacks_(std::move(callbacks)),
      watch_(inotify, directory_,
             {.on_event = [this](const auto& event) { on_event(event); },
              .on_changed = [this](bool /*is_there*/) { check_files(); }}) {}

void UdevdState::start() {
  watch_.start();
  check_files();
  started_ = true;
}

void UdevdState::on_event(const loop::InotifyEvent& event) {
  if (event.overflow()) {
    check_files();
    return;
  }
  const bool removed = (event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0;
  const bool created = (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  if (event.name == "control" && (removed || created)) {
    // A new socket means a new udevd, even if the exit of the old one was missed.
    if (created && udevd_runs_) set_udevd(false);
    set_udevd(exists("control"));
  }
  if (event.name == "queue" && (removed || created)) {
    if (removed) queue_exists_ = true;
    set_queue(exists("queue"));
  }
}

void UdevdState::check_files() {
  set_udevd(exists("control"));
  set_queue(exists("queue"));
}

void UdevdState::set_udevd(bool runs) {
  if (std::exchange(udevd_runs_, runs) != runs && started_) callbacks_.on_udevd(runs);
}

void UdevdState::set_queue(bool exists) {
  if (std::exchange(queue_exists_, exists) != exists && started_) callbacks_.on_queue(exists);
}

bool UdevdState::udevd_is_dead() const {
  const auto address = UnixAddress::of(directory_ + "/control");
  if (!address) return false;
  const UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  return fd && ::connect(fd.get(), address->get(), UnixAddress::size()) != 0 &&
         errno == ECONNREFUSED;
}

bool UdevdState::exists(const char* name) const {
  return ::access((directory_ + '/' + name).c_str(), F_OK) == 0;
}

void UdevSettleDetector::queue_ended() {
  quiet_ = loop_.after(kQuiet, [this, end = loop_.now()] {
    if (!callbacks_.queue_exists()) callbacks_.on_settled(end);
  });
}

}  // namespace patchbay::host
