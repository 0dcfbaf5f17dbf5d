#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "paths/host_root.h"

/// The directories and links that lead to a path, to watch them. Blocking: see HostRoot.
namespace patchbay::paths {

/// A directory entry or file whose change may change what exists at a path.
struct WatchPoint {
  std::string path;   ///< Local path.
  std::string entry;  ///< Name in the directory `path`. Empty if `path` is the file itself.
  dev_t device = 0;   ///< With `inode`, identifies `path`. 0 if `path` is gone.
  ino_t inode = 0;
  friend bool operator==(const WatchPoint&, const WatchPoint&) = default;
};

/// Limit of consecutive checks that find a different chain. Without it, checks would never end on
/// file systems whose inode numbers change at every stat. Further changes are found at the next
/// event or periodic check.
inline constexpr int kMaxChecksInRow = 8;

/// Whether the local path is on a reliable file system, on a local disk or in memory. Such a file
/// system reports changes and never hangs. On a network file system, even setting a watch may wait
/// for the server. Unknown types count as not reliable.
[[nodiscard]] bool is_reliable_filesystem(const std::string& path);
/// Whether an open file is on a reliable file system.
[[nodiscard]] bool is_reliable_filesystem(int fd);

/// Returns the path of an entry of a directory.
[[nodiscard]] std::string entry_path(const std::string& directory, const std::string& name);

/// The directories and links that lead to a path.
struct PathChain {
  /// Each component of the path, including links, as a directory entry, up to the first missing
  /// one. Ends at the first unreliable file system, where a watch or stat may hang.
  std::vector<WatchPoint> watch_points;
  bool reported = true;  ///< All file systems on the chain are reliable.
  friend bool operator==(const PathChain&, const PathChain&) = default;
};

/// Finds the chain of a path. `inside`: if the path leads to a regular file or directory, that is
/// the last watch point.
[[nodiscard]] PathChain path_chain(const HostRoot& root, const std::string& path,
                                   bool inside = false);

}  // namespace patchbay::paths
