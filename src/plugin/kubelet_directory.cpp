#include "plugin/kubelet_directory.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

namespace patchbay::plugin {
namespace {

constexpr loop::Milliseconds kPollPeriod{10'000};
/// If the kernel refuses a watch, a restart of the kubelet is detected within this time.
constexpr loop::Milliseconds kUnwatchedPollPeriod{1'000};

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

}  // namespace

KubeletDirectory::KubeletDirectory(loop::EventLoop& loop, loop::Inotify& inotify, std::string path,
                                   Listener listener)
    : loop_(loop),
      path_(std::move(path)),
      listener_(std::move(listener)),
      watch_(inotify, path_,
             {.on_event = [this](const loop::InotifyEvent& event) { on_event(event); },
              .on_changed = [this](bool /*is_there*/) { check(); }}) {}

void KubeletDirectory::start() {
  poll_ = loop_.every(kPollPeriod, [this] {
    watch_.start();
    check();
  });
  mounts_.emplace(loop_, [this] { watch_.recheck(); });
  watch_.start();
  check();
}

void KubeletDirectory::on_event(const loop::InotifyEvent& event) {
  if (event.overflow() || event.name == "kubelet.sock") return check();
  if ((event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0) listener_.on_deleted(event.name);
}

void KubeletDirectory::check() {
  listener_.on_kubelet_socket(identity_of(kubelet_socket_path()));
  listener_.on_deleted("");
  unwatched_poll_.reset();
  if (!watch_.refused()) return;
  unwatched_poll_ = loop_.after(kUnwatchedPollPeriod, [this] {
    watch_.start();
    check();
  });
}

}  // namespace patchbay::plugin
