#include "plugin/kubelet_availability.h"

#include <sys/stat.h>

#include <utility>

#include "base/log.h"

namespace patchbay::plugin {

KubeletAvailability::KubeletAvailability(loop::EventLoop& loop, std::string socket)
    : loop_(loop), socket_(std::move(socket)) {}

void KubeletAvailability::missing() {
  missing_ = true;
  start_waiting(describe_missing());
}

void KubeletAvailability::found() {
  if (std::exchange(missing_, false)) warn_timer_.reset();
}

void KubeletAvailability::unreachable(const std::string& reason) {
  if (!missing_) start_waiting(reason);
}

void KubeletAvailability::reached() {
  missing_ = false;
  if (std::exchange(logged_, false))
    log::info({"kubelet is reachable", log::EventKind::kubelet}, {{"socket", socket_}});
  warn_timer_.reset();
}

void KubeletAvailability::start_waiting(std::string reason) {
  reason_ = std::move(reason);
  if (!std::exchange(logged_, true)) {
    since_ = loop_.now();
    log::info({"waiting for the kubelet", log::EventKind::kubelet},
              {{"socket", socket_}, {"reason", reason_}});
  }
  if (warn_timer_) return;
  warn_timer_ = loop_.after(kWarnAfter, [this] {
    // The Subscription stays set, so that this is logged once.
    log::warning({"still waiting for the kubelet", log::EventKind::kubelet},
                 {{"socket", socket_}, {"reason", reason_}});
  });
}

status::KubeletStatus KubeletAvailability::status() const {
  return {.directory = socket_.substr(0, socket_.rfind('/')),
          .unavailable_reason = logged_ ? reason_ : "",
          .since = since_};
}

std::string KubeletAvailability::describe_missing() const {
  struct stat status {};
  const std::string directory = socket_.substr(0, socket_.rfind('/'));
  if (::stat(directory.c_str(), &status) != 0) return "directory does not exist: " + directory;
  if (!S_ISDIR(status.st_mode)) return directory + " is not a directory";
  if (::lstat(socket_.c_str(), &status) == 0) return socket_ + " is not a socket";
  return socket_ + " does not exist";
}

}  // namespace patchbay::plugin
