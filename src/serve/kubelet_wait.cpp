#include "serve/kubelet_wait.h"

#include <sys/stat.h>

#include <utility>

#include "base/log.h"

namespace patchbay::serve {

KubeletWait::KubeletWait(loop::EventLoop& loop, std::string socket)
    : loop_(loop), socket_(std::move(socket)) {}

void KubeletWait::missing() {
  missing_ = true;
  wait(what_is_missing());
}

void KubeletWait::found() {
  if (std::exchange(missing_, false)) long_.reset();
}

void KubeletWait::unreachable(const std::string& reason) {
  if (!missing_) wait(reason);
}

void KubeletWait::reached() {
  missing_ = false;
  if (std::exchange(said_, false)) log::info("the kubelet answers", {{"socket", socket_}});
  long_.reset();
}

void KubeletWait::wait(std::string reason) {
  reason_ = std::move(reason);
  if (!std::exchange(said_, true)) {
    since_ = loop_.now();
    log::info("waiting for the kubelet", {{"socket", socket_}, {"reason", reason_}});
  }
  if (long_) return;
  long_ = loop_.after(kLong, [this] {
    // The Subscription stays: it is said once.
    log::warning("still waiting for the kubelet", {{"socket", socket_}, {"reason", reason_}});
  });
}

observe::KubeletStatus KubeletWait::status() const {
  return {.directory = socket_.substr(0, socket_.rfind('/')),
          .slow = said_ ? reason_ : "",
          .since = since_};
}

std::string KubeletWait::what_is_missing() const {
  struct stat status {};
  const std::string directory = socket_.substr(0, socket_.rfind('/'));
  if (::stat(directory.c_str(), &status) != 0) return "there is no directory " + directory;
  if (!S_ISDIR(status.st_mode)) return directory + " is no directory";
  if (::lstat(socket_.c_str(), &status) == 0) return socket_ + " is no socket";
  return "there is no " + socket_;
}

}  // namespace patchbay::serve
