#include "host/path_way.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace patchbay::host {
namespace {

/// Of Linux, but in none of its headers that Debian 12 ships.
constexpr uint32_t kZfsMagic = 0x2fc12fc1;
constexpr uint32_t kBcachefsMagic = 0xca451a4e;

bool is_known(const struct statfs& status) {
  static constexpr auto kKnown = std::to_array<uint32_t>(
      {BTRFS_SUPER_MAGIC, DEVPTS_SUPER_MAGIC, EROFS_SUPER_MAGIC_V1, EXT4_SUPER_MAGIC,
       EXFAT_SUPER_MAGIC, F2FS_SUPER_MAGIC, HUGETLBFS_MAGIC, ISOFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC,
       OVERLAYFS_SUPER_MAGIC, RAMFS_MAGIC, SQUASHFS_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC, kZfsMagic,
       kBcachefsMagic});
  return std::ranges::find(kKnown, static_cast<uint32_t>(status.f_type)) != kKnown.end();
}

Place place_of(std::string path, std::string entry) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) status = {};
  return {.path = std::move(path),
          .entry = std::move(entry),
          .device = status.st_dev,
          .inode = status.st_ino};
}

}  // namespace

bool reports_and_answers(const std::string& path) {
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 && is_known(status);
}

bool reports_and_answers(int fd) {
  struct statfs status {};
  return ::fstatfs(fd, &status) == 0 && is_known(status);
}

std::string entry_of(const std::string& directory, const std::string& name) {
  return (directory == "/" ? "" : directory) + '/' + name;
}

Way way_to(const HostRoot& root, const std::string& path, bool inside) {
  Way way;
  const auto end = root.walk(path, [&](const std::string& directory, const std::string& name) {
    way.reported = reports_and_answers(directory);
    if (way.reported) way.places.push_back(place_of(directory, name));
    return way.reported;
  });
  if (!end) return way;
  std::string here = root.here(*end);
  if (here.empty()) here = "/";
  way.reported = reports_and_answers(here);
  const auto status = inside && way.reported ? root.link_status(*end) : std::nullopt;
  const bool has_inside = status && (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode));
  if (has_inside) way.places.push_back(place_of(std::move(here), ""));
  return way;
}

}  // namespace patchbay::host
