#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace patchbay::paths {

/// A file system in memory, such as that of a recorded machine. Paths are absolute, without links,
/// "." and "..". Fill it on one thread; then any thread may read it.
class MemoryFiles {
 public:
  struct Entry {
    mode_t mode = 0;                   ///< Type and permissions, as st_mode in stat(2).
    dev_t number = 0;                  ///< Number of a device node, as st_rdev in stat(2).
    ino_t inode = 0;                   ///< Differs for each entry.
    std::string content{};             ///< Content of a regular file; target of a link.
    std::vector<std::string> names{};  ///< Names in a directory, in the order of their creation.
  };

  MemoryFiles();

  /// Each of these functions adds an entry of one type, and its missing parent directories. It
  /// returns false, and changes nothing, if the path exists or a parent is no directory. Only
  /// add_directory() accepts a directory that exists.
  bool add_directory(const std::string& path);
  bool add_file(const std::string& path, std::string content, mode_t permissions = 0644);
  bool add_link(const std::string& path, std::string target);
  /// `type`: S_IFCHR, S_IFBLK or S_IFSOCK.
  bool add_node(const std::string& path, mode_t type, dev_t number);

  /// The entry at exactly this path: links are not followed. Null if there is none.
  [[nodiscard]] const Entry* find(const std::string& path) const;

 private:
  Entry* add(const std::string& path, mode_t mode);

  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace patchbay::paths
