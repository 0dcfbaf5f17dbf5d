#pragma once

#include <fcntl.h>

#include <expected>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "model/facts.h"
#include "paths/host_root.h"

namespace patchbay::paths {

/// The status of a path, with links followed: only `st_mode` and `st_rdev`; or an errno.
using PathStatus = std::expected<HostRoot::Status, int>;

/// The number of the device node at the path. An Error names the path.
[[nodiscard]] Result<DeviceNumber> node_number(const std::string& path, const PathStatus& status);

/// Checks paths for threads that must not block: answers from the kernel's caches, if possible.
/// Otherwise the caller makes a blocking check, which may hang. Any thread.
class NonblockingStat {
 public:
  explicit NonblockingStat(HostRoot root) : root_(std::move(root)) {}

  /// Works only on file systems that earlier checks found to be reliable. Null: use a blocking
  /// check.
  [[nodiscard]] std::optional<PathStatus> try_stat(const std::string& path) const {
    return status_of(root_.try_open(path));
  }
  /// Does not follow a link at the end. Null: use a blocking check.
  [[nodiscard]] std::optional<PathStatus> try_lstat(const std::string& path) const {
    return status_of(root_.try_open(path, O_NOFOLLOW));
  }

  /// Blocking: see HostRoot.
  [[nodiscard]] PathStatus stat_blocking(const std::string& path);
  /// Remembers the file system of the path for nonblocking checks, if it is reliable. Blocking.
  void learn(const std::string& path);

 private:
  [[nodiscard]] std::optional<PathStatus> status_of(const UniqueFd& fd) const;
  void learn(const UniqueFd& fd);

  HostRoot root_;
  mutable std::mutex mutex_;
  /// Kernel's mount numbers of reliable file systems. Guarded by mutex_.
  std::set<int> mounts_;
};

}  // namespace patchbay::paths
