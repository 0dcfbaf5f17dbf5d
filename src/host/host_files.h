#pragma once

#include <sys/types.h>

#include <compare>
#include <optional>
#include <string>
#include <vector>

/// Files of the host whose content rules compare, and where changes of paths show. Any thread;
/// blocking.
namespace patchbay::host {

/// The content of a regular file without trailing white space and NULs. Links are followed. None:
/// not there, of another type, unreadable, empty, or longer than kMostFileBytes.
[[nodiscard]] std::optional<std::string> read_host_file(const std::string& path);
inline constexpr size_t kMostFileBytes = size_t{64} << 10U;

/// Where a change shows that may change what is read at a path.
struct FilePlace {
  std::string path;   ///< Of a directory, or of the file itself.
  std::string entry;  ///< In that directory, what comes, goes or is replaced; empty: of the file.
  dev_t device = 0;   ///< With `inode`, which directory or file stands at `path`; 0: none by now.
  ino_t inode = 0;
  friend auto operator<=>(const FilePlace&, const FilePlace&) = default;
};

/// All places to watch for `file`, an absolute path without the prefix `root`: each link on the way
/// and the last entry, in their directories, and the file; or the first entry that is missing.
/// None below /proc and /sys, which do not report changes.
[[nodiscard]] std::vector<FilePlace> file_places(const std::string& file, const std::string& root);

/// All places to watch to hear that something comes, goes or is replaced at `path`, or a directory
/// or link on the way: each one's entry, or the first that is missing. None from the first file
/// system on that is not known to report changes and to answer always: to watch there may hang.
[[nodiscard]] std::vector<FilePlace> way_to(const std::string& path, const std::string& root);

}  // namespace patchbay::host
