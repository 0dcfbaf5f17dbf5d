#include "daemon/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/unique_fd.h"

namespace patchbay::daemon {
namespace {

/// The value of the variable; 0 if it is absent or not a number.
int64_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  int64_t number = 0;
  if (text == nullptr) return 0;
  const char* end = text + std::strlen(text);
  return std::from_chars(text, end, number).ptr == end ? number : 0;
}

Result<void> send_notification(const UniqueFd& socket, const std::string& path,
                               std::string_view state) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return fail_errno(path, ENAMETOOLONG);
  std::ranges::copy(path, std::begin(address.sun_path));
  // A path with @ names an abstract socket, which has a NUL in its place.
  if (path.starts_with('@')) address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  if (::sendto(socket.get(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), size) < 0) {
    return fail_errno(path, errno);
  }
  return {};
}

/// For states that may be lost: the manager detects the end of the process anyway, and another
/// watchdog ping follows.
void send_best_effort(const ServiceManager::Send& send, std::string_view state) {
  if (const auto sent = send(state); !sent) {
    log::debug("cannot send a status to the service manager",
               {{"state", std::string(state)}, {"reason", sent.error().message}});
  }
}

ServiceManager::Send make_sender(const std::string& path) {
  auto socket = std::make_shared<UniqueFd>(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return [socket, path](std::string_view state) { return send_notification(*socket, path, state); };
}

}  // namespace

ServiceManager ServiceManager::from_environment() {
  ServiceManager manager;
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (*path != '/' && *path != '@')) return manager;
  manager.send_ = make_sender(path);
  const int64_t watched = number_in("WATCHDOG_PID");
  if (watched != 0 && watched != ::getpid()) return manager;
  // Twice per timeout, as the manual of sd_watchdog_enabled() recommends.
  const auto timeout = std::chrono::microseconds(number_in("WATCHDOG_USEC"));
  if (timeout.count() <= 0) return manager;
  manager.watchdog_interval_ =
      std::max(std::chrono::duration_cast<loop::Milliseconds>(timeout / 2), loop::Milliseconds(1));
  return manager;
}

void ServiceManager::ready() const {
  if (!send_) return;
  if (const auto sent = send_("READY=1"); !sent) {
    log::warning("cannot notify the service manager", {{"reason", sent.error().message}});
  }
}

void ServiceManager::stopping() const {
  if (send_) send_best_effort(send_, "STOPPING=1");
}

loop::Subscription ServiceManager::ping_watchdog(loop::EventLoop& loop,
                                                 status::StatusSource& source) const {
  if (!send_ || watchdog_interval_ == loop::Milliseconds::zero()) return {};
  return loop.every(watchdog_interval_, [&source, send = send_] {
    source.check_liveness([send] { send_best_effort(send, "WATCHDOG=1"); });
  });
}

}  // namespace patchbay::daemon
