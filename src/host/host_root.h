#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/facts.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace patchbay::host {

/// The host's file system: our own, or one that is mounted at a directory of ours, such as /host in
/// a container. Paths are absolute and as the host has them; so is what its links say, and none of
/// them, nor "..", leads out of the directory. Magic links of /proc lead nowhere there.
///
/// A path that is written below /sys is looked at where we see it, whatever the directory: it shows
/// the same kernel everywhere, and what was mounted at the directory need not hold it.
///
/// Every call but try_open() may block, and hangs where a file system hangs. So none is made on
/// the loop's thread nor on gRPC's (loop/may_block.h holds that), but on work threads. Cheap to
/// copy. Where nothing else is said, errno tells why there is nothing.
class HostRoot {
 public:
  using Status = struct stat;
  /// Of a walk: whether to look at what has that name in a directory, which is told as we see it,
  /// without links.
  using Visit = std::function<bool(const std::string& directory, const std::string& name)>;
  /// As many bytes of a file as are read.
  static constexpr size_t kMostFileBytes = size_t{64} << 10U;

  HostRoot() = default;  ///< Our own file system.
  /// Absolute, without a slash at its end; "" for our own.
  explicit HostRoot(std::string directory) : directory_(std::move(directory)) {}

  [[nodiscard]] const std::string& directory() const { return directory_; }
  /// Where we see a path that holds no link.
  [[nodiscard]] std::string local_path(const std::string& path) const {
    return top_of(path) + path;
  }

  /// Links are followed. Works where no descriptor is left, too.
  [[nodiscard]] std::optional<Status> status(const std::string& path) const;
  /// A link at the end is not.
  [[nodiscard]] std::optional<Status> link_status(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const { return status(path).has_value(); }
  /// Closed at exec, and no terminal of ours; else as open(2).
  [[nodiscard]] UniqueFd open(const std::string& path, int flags) const;
  /// What the path leads to, with O_PATH, if the kernel finds it in its memory; else errno is
  /// EAGAIN, also where that is not known. Asks no file system and waits for none, so it is for any
  /// thread.
  /// `flags`: O_NOFOLLOW, or none.
  [[nodiscard]] UniqueFd try_open(const std::string& path, int flags = 0) const;
  /// The content of a regular file without trailing white space and NULs. None: not there, of
  /// another type, unreadable, empty, or longer than kMostFileBytes.
  [[nodiscard]] std::optional<std::string> read_file(const std::string& path) const;
  /// The names in a directory, in no order; none if it cannot be read.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& directory) const;
  /// Where all links lead: a path of the host without links, "." and "..". None: nowhere.
  [[nodiscard]] std::optional<std::string> resolve(const std::string& path) const {
    return walk(path, nullptr);
  }
  /// The same, step by step from link to link, as long as `visit` allows.
  [[nodiscard]] std::optional<std::string> walk(const std::string& path, const Visit& visit) const;

  friend bool operator==(const HostRoot&, const HostRoot&) = default;

 private:
  [[nodiscard]] const std::string& top_of(const std::string& path) const;
  [[nodiscard]] UniqueFd open_step_by_step(const std::string& path, int flags) const;

  std::string directory_;
};

/// Where a symbolic link points to, as it stands there. May block.
[[nodiscard]] std::optional<std::string> link_target(const std::string& link);

}  // namespace patchbay::host
