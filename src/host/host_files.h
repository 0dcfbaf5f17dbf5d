#pragma once

#include <sys/types.h>

#include <compare>
#include <string>
#include <vector>

#include "host/host_root.h"

/// Where changes of paths show. Any thread; blocking.
namespace patchbay::host {

/// Where a change shows that may change what is read at a path.
struct FilePlace {
  std::string path;   ///< Of a directory, or of the file itself.
  std::string entry;  ///< In that directory, what comes, goes or is replaced; empty: of the file.
  dev_t device = 0;   ///< With `inode`, which directory or file stands at `path`; 0: none by now.
  ino_t inode = 0;
  friend auto operator<=>(const FilePlace&, const FilePlace&) = default;
};

/// All places to watch to hear that something comes, goes or is replaced at `path`, or a directory
/// or link on the way: each one's entry, or the first that is missing. None from the first file
/// system on that is not known to report changes and to answer always: to watch there may hang.
[[nodiscard]] std::vector<FilePlace> way_to(const HostRoot& root, const std::string& path);
/// The same, and the file itself, if it leads to one.
[[nodiscard]] std::vector<FilePlace> file_places(const HostRoot& root, const std::string& file);

}  // namespace patchbay::host
