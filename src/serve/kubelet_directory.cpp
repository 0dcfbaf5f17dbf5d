#include "serve/kubelet_directory.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "base/log.h"

namespace patchbay::serve {
namespace {

constexpr loop::Milliseconds kPollPeriod{10'000};

std::optional<SocketIdentity> identity_of(const std::string& path) {
  struct statx status {};
  if (statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME,
            &status) != 0 ||
      !S_ISSOCK(status.stx_mode)) {
    return std::nullopt;
  }
  const auto& time = (status.stx_mask & STATX_BTIME) != 0 ? status.stx_btime : status.stx_ctime;
  return SocketIdentity{
      .device = (uint64_t{status.stx_dev_major} << 32U) | status.stx_dev_minor,
      .inode = status.stx_ino,
      .time_ns = time.tv_sec * 1'000'000'000 + time.tv_nsec,
  };
}

std::optional<std::pair<uint64_t, uint64_t>> directory_at(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return std::pair<uint64_t, uint64_t>(status.st_dev, status.st_ino);
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

}  // namespace

KubeletDirectory::KubeletDirectory(loop::EventLoop& loop, loop::Inotify& inotify, std::string path,
                                   Listener listener)
    : loop_(loop), inotify_(inotify), path_(std::move(path)), listener_(std::move(listener)) {}

void KubeletDirectory::start() {
  poll_ = loop_.every(kPollPeriod, [this] {
    look();
    listener_.deleted("");
  });
  arm();
  look();
}

void KubeletDirectory::arm() {
  watched_ = directory_at(path_);
  if (!watched_) return watch_nearest_parent();
  auto watch = inotify_.watch(path_, [this](const loop::InotifyEvent& event) { on_event(event); });
  if (!watch) {
    log::warning(watch.error().message + "; looking every 10 s instead");
    return;
  }
  watch_ = std::move(*watch);
}

void KubeletDirectory::watch_nearest_parent() {
  std::string parent = parent_of(path_);
  while (parent != "/" && !directory_at(parent)) parent = parent_of(parent);
  auto watch = inotify_.watch(parent, [this](const loop::InotifyEvent&) { look(); });
  if (watch) watch_ = std::move(*watch);
}

void KubeletDirectory::on_event(const loop::InotifyEvent& event) {
  const bool about_kubelet = event.name == "kubelet.sock";
  if (about_kubelet || event.overflow() || event.directory_gone()) look();
  if ((event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0 && !about_kubelet) {
    listener_.deleted(event.name);
  }
  if (event.overflow() || event.directory_gone()) listener_.deleted("");
}

void KubeletDirectory::look() {
  const auto now = directory_at(path_);
  // Without the directory the nearest parent may have come nearer: arm again each time.
  if (!now || now != watched_) arm();
  listener_.kubelet_socket(identity_of(kubelet_socket_path()));
}

}  // namespace patchbay::serve
