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

/// Identifies one kubelet.sock: a new kubelet creates a new one. Inode numbers are reused after an
/// unlink, so the inode's birth time is included, or its change time if there is none.
struct SocketIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t time_ns = 0;
  friend bool operator==(const SocketIdentity&, const SocketIdentity&) = default;
};

/// Watches the kubelet's device-plugins directory for new sockets of the kubelet and for deleted
/// files (docs/dev/kubelet.md: Start of the kubelet). The directory may be absent at first, and may
/// be recreated or mounted over. A poll every 10 s covers lost events. If the kernel refuses the
/// watch, the poll runs every second. Loop thread.
class KubeletDirectory {
 public:
  struct Listener {
    /// Called with the identity of kubelet.sock at start(), and whenever it may have changed.
    std::function<void(std::optional<SocketIdentity>)> on_kubelet_socket;
    /// Called when the file `name` was deleted. If `name` is empty, any files may have been
    /// deleted.
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
