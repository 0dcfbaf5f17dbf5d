#pragma once

#include <sys/stat.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "model/facts.h"
#include "paths/memory_files.h"

namespace patchbay::paths {

/// Access to the host's file system. This is our own file system, or one mounted at a directory,
/// such as /host in a container, or a recorded one. Paths are absolute host paths: "/" is the root
/// of the host. In a mounted file system, links and ".." never lead out of the directory, and magic
/// links of /proc lead nowhere. A *local* path is a path in our own file system.
///
/// A path below /sys is always opened in our own file system, or in the recorded one. The mounted
/// directory may lack /sys, and our own /sys shows the same kernel.
///
/// Every call except try_open() may block, and hangs if a file system hangs. So work threads make
/// these calls, never the loop's thread or gRPC's (loop/may_block.h checks that). Cheap to copy.
/// Unless documented otherwise, errno has the reason of an empty result.
class HostRoot {
 public:
  using Status = struct stat;
  /// Whether walk() shall continue to the entry `name` of `directory`. `directory` is a local path
  /// without links.
  using Visit = std::function<bool(const std::string& directory, const std::string& name)>;
  /// Longest file content that is read.
  static constexpr size_t kMostFileBytes = size_t{64} << 10U;
  /// A page: the kernel's limit for an attribute.
  static constexpr size_t kMostAttributeBytes = 4096;

  HostRoot() = default;  ///< Our own file system.
  /// `directory` is absolute, without a slash at its end. "" is our own file system.
  explicit HostRoot(std::string directory) : directory_(std::move(directory)) {}
  /// A recorded file system. Nothing of this machine is read, and nothing can be opened.
  explicit HostRoot(std::shared_ptr<const MemoryFiles> recorded) : recorded_(std::move(recorded)) {}

  [[nodiscard]] bool is_recorded() const { return recorded_ != nullptr; }
  /// Access to the files of the kernel and udev, such as /sys and /run/udev. They are in our own
  /// file system even if the host's is mounted at a directory.
  [[nodiscard]] HostRoot kernel_files() const { return recorded_ ? *this : HostRoot(); }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  /// The local path of a host path without links.
  [[nodiscard]] std::string local_path(const std::string& path) const {
    return top_of(path) + path;
  }

  /// Stats a path, and follows links. Works even if no descriptor is left.
  [[nodiscard]] std::optional<Status> status(const std::string& path) const;
  /// As status(), but does not follow a link at the end.
  [[nodiscard]] std::optional<Status> link_status(const std::string& path) const;
  /// Whether the path exists. If `device` is true, it must also be a device node. Follows links.
  [[nodiscard]] bool exists(const std::string& path, bool device = false) const {
    const auto found = status(path);
    return found && (!device || S_ISCHR(found->st_mode) || S_ISBLK(found->st_mode));
  }
  /// Same as open(2), with O_CLOEXEC and O_NOCTTY.
  [[nodiscard]] UniqueFd open(const std::string& path, int flags) const;
  /// Opens the path with O_PATH, from the kernel's caches. If the caches do not suffice, errno is
  /// EAGAIN. Another errno, such as ENOENT, is reliable. Never contacts a file system, so any
  /// thread may call it. `flags`: O_NOFOLLOW or 0.
  [[nodiscard]] UniqueFd try_open(const std::string& path, int flags = 0) const;
  /// Reads a regular file. Removes white space and NULs at its end. Null if the file is missing, of
  /// another type, unreadable, longer than `most` bytes, or empty and below /proc.
  [[nodiscard]] std::optional<std::string> read_file(const std::string& path,
                                                     size_t most = kMostFileBytes) const;
  /// Reads the first kMostAttributeBytes of a regular file of /sys, unchanged. Does not follow a
  /// link at the end of the path.
  [[nodiscard]] std::optional<std::string> read_attribute(const std::string& path) const;
  /// The target of a symbolic link as stored.
  [[nodiscard]] std::optional<std::string> link_target(const std::string& link) const;
  /// The names in a directory, unsorted. Empty if the directory cannot be read.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& directory) const;
  /// Returns the host path without links, "." and "..". Null if nothing exists there.
  [[nodiscard]] std::optional<std::string> resolve(const std::string& path) const {
    return walk(path, nullptr);
  }
  /// As resolve(), component by component. Calls `visit` before each component. If `visit` returns
  /// false, the walk ends, and the result is null.
  [[nodiscard]] std::optional<std::string> walk(const std::string& path, const Visit& visit) const;

  friend bool operator==(const HostRoot&, const HostRoot&) = default;

 private:
  [[nodiscard]] const std::string& top_of(const std::string& path) const;
  [[nodiscard]] UniqueFd open_step_by_step(const std::string& path, int flags) const;
  [[nodiscard]] std::optional<Status> status_of_entry(const std::string& local_path) const;
  [[nodiscard]] std::optional<std::string> target_of_entry(const std::string& local_path) const;
  [[nodiscard]] const MemoryFiles::Entry* find_recorded(const std::string& path, bool follow) const;

  std::string directory_;
  std::shared_ptr<const MemoryFiles> recorded_;  ///< Null: a file system of the kernel.
};

}  // namespace patchbay::paths
