#include "paths/nonblocking_stat.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/whole_number.h"
#include "paths/path_chain.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::paths {
namespace {

/// Fallback of mount_of().
std::optional<int> mount_by_proc(const UniqueFd& fd) {
  const std::string path = "/proc/self/fdinfo/" + std::to_string(fd.get());
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  if (size <= 0) return std::nullopt;
  constexpr std::string_view kKey = "mnt_id:\t";
  for (const std::string_view line : split({text.data(), static_cast<size_t>(size)}, '\n')) {
    if (line.starts_with(kKey)) return parse_whole<int>(line.substr(kKey.size()));
  }
  return std::nullopt;
}

/// The mount of the file. statx() would contact its file system, which may hang.
std::optional<int> mount_of(const UniqueFd& fd) {
  // Requests a handle without room for one: the kernel only reports the mount, and that the handle
  // does not fit. Some file systems and system call filters do not allow it.
  file_handle handle{};
  int mount = -1;
  if (::name_to_handle_at(fd.get(), "", &handle, &mount, AT_EMPTY_PATH) != 0 &&
      errno == EOVERFLOW && mount >= 0) {
    return mount;
  }
  return mount_by_proc(fd);
}

/// The status of an open file. Network file systems need not contact their server for it.
PathStatus status_of_open(const UniqueFd& fd) {
  struct statx found {};
  if (::statx(fd.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MODE, &found) !=
      0) {
    return std::unexpected(errno);
  }
  HostRoot::Status status{};
  status.st_mode = found.stx_mode;
  status.st_rdev = ::gnu_dev_makedev(found.stx_rdev_major, found.stx_rdev_minor);
  return status;
}

}  // namespace

Result<DeviceNumber> node_number(const std::string& path, const PathStatus& status) {
  if (!status) {
    const bool missing = status.error() == ENOENT || status.error() == ENOTDIR;
    if (missing) return fail(printable(path) + " does not exist");
    return fail_errno(printable(path), status.error());
  }
  const auto number = device_number_of(status->st_mode, status->st_rdev);
  if (!number) return fail(printable(path) + " is not a device node");
  return *number;
}

/// The status of a descriptor from try_open().
std::optional<PathStatus> NonblockingStat::status_of(const UniqueFd& fd) const {
  if (!fd && errno == EAGAIN) return std::nullopt;
  if (!fd) return std::unexpected(errno);
  const auto mount = mount_of(fd);
  if (!mount) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (!mounts_.contains(*mount)) return std::nullopt;
  }
  return status_of_open(fd);
}

void NonblockingStat::learn(const std::string& path) {
  if (const UniqueFd fd = root_.open(path, O_PATH)) learn(fd);
}

void NonblockingStat::learn(const UniqueFd& fd) {
  const bool answers = is_reliable_filesystem(fd.get());
  const auto mount = mount_of(fd);
  if (!mount) return;
  const std::lock_guard lock(mutex_);
  // The kernel reuses the number of a mount that is gone.
  if (answers) {
    mounts_.insert(*mount);
  } else {
    mounts_.erase(*mount);
  }
}

PathStatus NonblockingStat::stat_blocking(const std::string& path) {
  const UniqueFd fd = root_.open(path, O_PATH);
  if (!fd && ResourceExhaustion::is_exhaustion(errno)) {
    if (const auto status = root_.status(path)) return *status;
  }
  if (!fd) return std::unexpected(errno);
  learn(fd);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return std::unexpected(errno);
  return status;
}

}  // namespace patchbay::paths
