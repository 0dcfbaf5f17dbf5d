#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::paths {

/// The mount table as we see it, to find paths on the same file system as an unresponsive path.
/// Compares paths literally: links are not resolved. Immutable; any thread.
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
  /// The mount point of the unreliable file system that contains the local path. Empty: the file
  /// system is in memory or on a local disk.
  [[nodiscard]] std::string unreliable_mount_of(std::string_view path) const;

 private:
  std::vector<Mount> mounts_;
};

/// Finds the unreliable mount that contains a host path: see Mounts::unreliable_mount_of().
using MountOf = std::function<std::string(const std::string& path)>;

/// The mount table, read when it is needed for the first time after each change. Loop thread.
class CachedMounts {
 public:
  /// See Mounts::unreliable_mount_of().
  [[nodiscard]] std::string unreliable_mount_of(std::string_view path) {
    if (mounts_.empty()) mounts_ = Mounts::read();
    return mounts_.unreliable_mount_of(path);
  }
  /// Something was mounted or unmounted.
  void changed() { mounts_ = Mounts(""); }

 private:
  Mounts mounts_{""};  ///< Empty: not read, or it could not be read.
};

/// Reports mounts and unmounts in our mount namespace, which may replace a path without an event in
/// any directory. Changes in quick succession, and the start, cause one report after a short delay.
/// Without /proc nothing is reported. Loop thread.
class MountWatch {
 public:
  MountWatch(loop::EventLoop& loop, std::function<void()> on_change);
  MountWatch(const MountWatch&) = delete;
  MountWatch& operator=(const MountWatch&) = delete;

  /// The errno that prevents reports. 0: reports work.
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
