#include "paths/path_chain.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace patchbay::paths {
namespace {

/// Linux defines it, but no header of Debian 12 does.
constexpr uint32_t kZfsMagic = 0x2fc12fc1;
constexpr uint32_t kBcachefsMagic = 0xca451a4e;

bool is_reliable_type(const struct statfs& status) {
  static constexpr auto kKnown = std::to_array<uint32_t>(
      {BTRFS_SUPER_MAGIC, DEVPTS_SUPER_MAGIC, EROFS_SUPER_MAGIC_V1, EXT4_SUPER_MAGIC,
       EXFAT_SUPER_MAGIC, F2FS_SUPER_MAGIC, HUGETLBFS_MAGIC, ISOFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC,
       OVERLAYFS_SUPER_MAGIC, RAMFS_MAGIC, SQUASHFS_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC, kZfsMagic,
       kBcachefsMagic});
  return std::ranges::find(kKnown, static_cast<uint32_t>(status.f_type)) != kKnown.end();
}

WatchPoint watch_point_of(std::string path, std::string entry) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) status = {};
  return {.path = std::move(path),
          .entry = std::move(entry),
          .device = status.st_dev,
          .inode = status.st_ino};
}

}  // namespace

bool is_reliable_filesystem(const std::string& path) {
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 && is_reliable_type(status);
}

bool is_reliable_filesystem(int fd) {
  struct statfs status {};
  return ::fstatfs(fd, &status) == 0 && is_reliable_type(status);
}

std::string entry_path(const std::string& directory, const std::string& name) {
  return (directory == "/" ? "" : directory) + '/' + name;
}

PathChain path_chain(const HostRoot& root, const std::string& path, bool inside) {
  PathChain chain;
  const auto end = root.walk(path, [&](const std::string& directory, const std::string& name) {
    chain.reported = is_reliable_filesystem(directory);
    if (chain.reported) chain.watch_points.push_back(watch_point_of(directory, name));
    return chain.reported;
  });
  if (!end) return chain;
  std::string here = root.local_path(*end);
  if (here.empty()) here = "/";
  chain.reported = is_reliable_filesystem(here);
  const auto status = inside && chain.reported ? root.link_status(*end) : std::nullopt;
  const bool has_inside = status && (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode));
  if (has_inside) chain.watch_points.push_back(watch_point_of(std::move(here), ""));
  return chain;
}

}  // namespace patchbay::paths
