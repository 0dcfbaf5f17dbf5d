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

/// The status of a path, or the errno. Only `st_mode` and `st_rdev` of the status are used.
using PathStatus = std::expected<HostRoot::Status, int>;

/// Returns the number of the device node with this status. An Error names the path.
[[nodiscard]] Result<DeviceNumber> node_number(const std::string& path, const PathStatus& status);

/// Stats paths without blocking, if the kernel's caches suffice. Otherwise the caller needs a
/// blocking check, which may hang. Any thread.
class NonblockingStat {
 public:
  explicit NonblockingStat(HostRoot root) : root_(std::move(root)) {}

  /// Follows links. Works only on file systems that learn() or stat_blocking() found to be
  /// reliable. Returns null if a blocking check is needed.
  [[nodiscard]] std::optional<PathStatus> try_stat(const std::string& path) const {
    return status_of(root_.try_open(path));
  }
  /// As try_stat(), but does not follow a link at the end.
  [[nodiscard]] std::optional<PathStatus> try_lstat(const std::string& path) const {
    return status_of(root_.try_open(path, O_NOFOLLOW));
  }

  /// Stats a path, follows links, and learns its file system. Blocking: see HostRoot.
  [[nodiscard]] PathStatus stat_blocking(const std::string& path);
  /// Remembers the file system of the path for nonblocking checks, if it is reliable. Blocking.
  void learn(const std::string& path);

 private:
  [[nodiscard]] std::optional<PathStatus> status_of(const UniqueFd& fd) const;
  void learn(const UniqueFd& fd);

  HostRoot root_;
  mutable std::mutex mutex_;
  /// The kernel's mount ids of reliable file systems. Guarded by mutex_.
  std::set<int> mounts_;
};

}  // namespace patchbay::paths
