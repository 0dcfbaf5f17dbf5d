#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/host_root.h"

/// Where changes of a path show. Blocking: see HostRoot.
namespace patchbay::host {

/// Where a change shows that may change what stands at a path.
struct WatchPoint {
  std::string path;  ///< As we see it.
  std::string
      entry;         ///< In that directory, what comes, goes or is replaced; empty: the end itself.
  dev_t device = 0;  ///< With `inode`, which directory or file stands at `path`; 0: none by now.
  ino_t inode = 0;
  friend bool operator==(const WatchPoint&, const WatchPoint&) = default;
};

/// How often a way is looked at that is another each time: on a file system whose inodes have
/// another number each time there is no end otherwise. What happens faster than it is watched shows
/// at the next event, or when the owner looks.
inline constexpr int kMaxChecksInRow = 8;

/// Whether what is at the path, as we see it, is on a file system of a local disk or of memory: one
/// that reports changes and answers always. One of the network waits for its server even when a
/// watch is put on it, so those that nobody has thought of are none.
[[nodiscard]] bool is_reliable_filesystem(const std::string& path);
/// The same of a descriptor.
[[nodiscard]] bool is_reliable_filesystem(int fd);

/// The path of an entry of a directory.
[[nodiscard]] std::string entry_path(const std::string& directory, const std::string& name);

/// The way to a path.
struct PathChain {
  /// Each directory and link on it and what it leads to, as an entry, up to the first that is
  /// missing. None from the first file system on that is not known to report changes and to answer
  /// always: to watch there, or to look on, may hang.
  std::vector<WatchPoint> watch_points;
  bool reported = true;  ///< There is no such file system on it.
  friend bool operator==(const PathChain&, const PathChain&) = default;
};

/// `inside`: with the regular file or the directory to which it leads as the last place.
[[nodiscard]] PathChain path_chain(const HostRoot& root, const std::string& path,
                                   bool inside = false);

}  // namespace patchbay::host
