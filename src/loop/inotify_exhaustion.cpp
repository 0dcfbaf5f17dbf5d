#include "loop/inotify_exhaustion.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/unique_fd.h"

namespace patchbay::loop {
namespace {

/// "fs.inotify.max_user_watches = 8192": the smaller limit of the user and the namespace.
std::string limit_of(InotifyExhaustion::Resource resource) {
  const bool watches = resource == InotifyExhaustion::Resource::watches;
  struct Limit {
    std::string name;
    std::string file;
  };
  const std::vector<Limit> limits = {
      {watches ? "fs.inotify.max_user_watches" : "fs.inotify.max_user_instances",
       watches ? "/proc/sys/fs/inotify/max_user_watches"
               : "/proc/sys/fs/inotify/max_user_instances"},
      {watches ? "user.max_inotify_watches" : "user.max_inotify_instances",
       watches ? "/proc/sys/user/max_inotify_watches" : "/proc/sys/user/max_inotify_instances"}};
  std::string text;
  long least = 0;
  for (const Limit& limit : limits) {
    long value = 0;
    if (!(std::ifstream(limit.file) >> value) || (!text.empty() && value >= least)) continue;
    least = value;
    text = limit.name + " = " + std::to_string(value);
  }
  return text.empty() ? limits.front().name : text;
}

/// The limit to raise.
std::string cause_of(InotifyExhaustion::Resource resource, int error) {
  if (error == ENOMEM) return "the memory of the kernel";
  const bool descriptors = resource == InotifyExhaustion::Resource::instances && error == EMFILE &&
                           !UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (descriptors) return "the open files of this process (RLIMIT_NOFILE)";
  return error == ENFILE ? "fs.file-max" : limit_of(resource);
}

}  // namespace

bool InotifyExhaustion::is_exhaustion(int error) {
  return error == ENOSPC || error == ENOMEM || error == EMFILE || error == ENFILE;
}

void InotifyExhaustion::refused(Resource resource, int error) {
  refused_ = true;
  if (timer_) return;
  log::warning(
      "inotify watches exhausted: changes are detected late",
      {{"limit", cause_of(resource, error)}, {"reason", std::generic_category().message(error)}});
  wait_ = kFirstDelay;
  arm();
}

Subscription InotifyExhaustion::subscribe(std::function<void()> retry) {
  const uint64_t id = next_id_++;
  (*retries_)[id] = std::move(retry);
  return Subscription([retries = retries_, id] { retries->erase(id); });
}

void InotifyExhaustion::arm() {
  timer_ = loop_.after(wait_, [this] { retry(); });
  wait_ = std::min(wait_ * 2, kMaxDelay);
}

void InotifyExhaustion::retry() {
  if (!std::exchange(refused_, false)) {
    timer_.reset();
    log::info({"inotify watches are available again", log::EventKind::degraded});
    return;
  }
  arm();
  std::vector<uint64_t> ids;
  for (const auto& [id, retry] : *retries_) ids.push_back(id);
  for (const uint64_t id : ids) {
    // A callback may end another Subscription.
    if (const auto it = retries_->find(id); it != retries_->end()) std::function(it->second)();
  }
}

}  // namespace patchbay::loop
