#pragma once

#include <fcntl.h>

#include <expected>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/facts.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "host/host_root.h"

namespace patchbay::host {

/// What stands at a path, links followed: of its status only `st_mode` and `st_rdev`; or errno.
using PathStatus = std::expected<HostRoot::Status, int>;

/// Of the device whose node stands at the path. An Error names the path.
[[nodiscard]] Result<DeviceNumber> node_number(const std::string& path, const PathStatus& status);

/// Looks at paths for who cannot wait: what the kernel has in its memory is told at once, else it
/// takes a look that may hang. Any thread.
class NonblockingStat {
 public:
  explicit NonblockingStat(HostRoot root) : root_(std::move(root)) {}

  /// Asks only what is on file systems that always answer, as earlier looks have found. None: it
  /// takes a look.
  [[nodiscard]] std::optional<PathStatus> try_stat(const std::string& path) const {
    return status_of(root_.try_open(path));
  }
  /// The same of what stands there itself, which may be a link.
  [[nodiscard]] std::optional<PathStatus> try_lstat(const std::string& path) const {
    return status_of(root_.try_open(path, O_NOFOLLOW));
  }

  /// Blocking: see HostRoot.
  [[nodiscard]] PathStatus stat_blocking(const std::string& path);
  /// What is on the same file system can be told at once from now on, if it always answers.
  /// Blocking.
  void learn(const std::string& path);

 private:
  [[nodiscard]] std::optional<PathStatus> status_of(const UniqueFd& fd) const;
  void learn(const UniqueFd& fd);

  HostRoot root_;
  mutable std::mutex mutex_;
  /// Mounts, as the kernel numbers them, of file systems that always answer. Guarded by mutex_.
  std::set<int> mounts_;
};

}  // namespace patchbay::host
