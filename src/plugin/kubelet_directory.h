#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "loop/event_loop.h"
#include "loop/inotify.h"
#include "paths/directory_watch.h"
#include "paths/mounts.h"

namespace patchbay::plugin {

/// Distinguishes one kubelet.sock from another. Inode numbers are reused after an unlink, so it
/// includes the inode's birth (or change) time.
struct SocketIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t time_ns = 0;
  friend bool operator==(const SocketIdentity&, const SocketIdentity&) = default;
};

/// Watches the kubelet's device-plugins directory (docs/dev/kubelet.md: Start of the kubelet): the
/// directory, not files in it. It also works while the directory does not exist, and after it was
/// recreated or mounted over. A slow poll covers lost events; while the kernel refuses a watch, it
/// polls each second. Loop thread.
class KubeletDirectory {
 public:
  struct Listener {
    /// Called with the identity of kubelet.sock at start(), and whenever it may have changed.
    std::function<void(std::optional<SocketIdentity>)> on_kubelet_socket;
    /// A file of that name was deleted; empty: any file may have been.
    std::function<void(const std::string& name)> on_deleted;
  };

  KubeletDirectory(loop::EventLoop& loop, loop::Inotify& inotify, std::string path,
                   Listener listener);

  void start();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string kubelet_socket_path() const { return path_ + "/kubelet.sock"; }

 private:
  void on_event(const loop::InotifyEvent& event);
  void check();

  loop::EventLoop& loop_;
  std::string path_;
  Listener listener_;
  paths::DirectoryWatch watch_;
  std::optional<paths::MountWatch> mounts_;
  loop::Subscription poll_;
  loop::Subscription unwatched_poll_;
};

}  // namespace patchbay::plugin
