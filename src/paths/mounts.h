#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::paths {

/// A copy of our mount table. It tells whether two paths are on the same mount, which may hang as a
/// whole. Compares paths literally: links are not resolved. Immutable; any thread.
class Mounts {
 public:
  /// Reads the current table. It is in the kernel's memory, so this never waits for a file system.
  [[nodiscard]] static Mounts read();
  /// `mountinfo` has the format of proc(5).
  explicit Mounts(std::string_view mountinfo);

  struct Mount {
    std::string directory;
    bool is_reliable = false;
    bool writable = false;
  };
  /// In mount order.
  [[nodiscard]] const std::vector<Mount>& all() const { return mounts_; }
  [[nodiscard]] bool empty() const { return mounts_.empty(); }
  /// Returns the mount point of the local path if its file system is unreliable, which means that
  /// it may hang. Empty if the file system is in memory or on a local disk.
  [[nodiscard]] std::string unreliable_mount_of(std::string_view path) const;

 private:
  std::vector<Mount> mounts_;
};

/// As Mounts::unreliable_mount_of(), for a host path.
using MountOf = std::function<std::string(const std::string& path)>;

/// The mount table, read at the first use after each change. Loop thread.
class CachedMounts {
 public:
  /// See Mounts::unreliable_mount_of().
  [[nodiscard]] std::string unreliable_mount_of(std::string_view path) {
    if (mounts_.empty()) mounts_ = Mounts::read();
    return mounts_.unreliable_mount_of(path);
  }
  /// Call it after a mount or unmount.
  void changed() { mounts_ = Mounts(""); }

 private:
  Mounts mounts_{""};  ///< Empty if not read yet, or if the read failed.
};

/// Reports mounts and unmounts in our mount namespace. They can replace a path without an event in
/// any directory. Changes in quick succession cause one report, after a short delay. The start
/// causes a report, too. Without /proc nothing is reported. Loop thread.
class MountWatch {
 public:
  MountWatch(loop::EventLoop& loop, std::function<void()> on_change);
  MountWatch(const MountWatch&) = delete;
  MountWatch& operator=(const MountWatch&) = delete;

  /// The errno that prevents reports. 0 if reports work.
  [[nodiscard]] int error() const { return error_; }

 private:
  void changed();

  loop::EventLoop& loop_;
  std::function<void()> on_change_;
  UniqueFd mounts_;
  int error_ = 0;
  loop::Subscription watching_;
  loop::Subscription soon_;
};

}  // namespace patchbay::paths
