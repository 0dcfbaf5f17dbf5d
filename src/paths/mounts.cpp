#include "paths/mounts.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace patchbay::paths {
namespace {

/// The start of a Pod mounts about a dozen file systems.
constexpr loop::Milliseconds kGathered{20};

/// File systems in memory, of the kernel itself, or on a local disk.
bool is_reliable_type(std::string_view type) {
  static constexpr auto kKnown = std::to_array<std::string_view>(
      {"bcachefs", "bpf",      "btrfs",    "cgroup",    "cgroup2", "configfs",   "debugfs",
       "devpts",   "devtmpfs", "efivarfs", "erofs",     "exfat",   "ext2",       "ext3",
       "ext4",     "f2fs",     "fusectl",  "hugetlbfs", "iso9660", "mqueue",     "nsfs",
       "overlay",  "proc",     "pstore",   "ramfs",     "rootfs",  "securityfs", "selinuxfs",
       "squashfs", "sysfs",    "tmpfs",    "tracefs",   "vfat",    "xfs",        "zfs"});
  return std::ranges::find(kKnown, type) != kKnown.end();
}

/// The kernel writes a space, a tab, a newline and a backslash as \\ and three octal digits.
std::string unescape_octal(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int code = 0;
      for (size_t digit = 1; digit <= 3; ++digit) code = code * 8 + (text[i + digit] - '0');
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool is_in(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

Mounts Mounts::read() {
  const std::ifstream file("/proc/self/mountinfo");
  std::ostringstream text;
  text << file.rdbuf();
  return Mounts(text.str());
}

Mounts::Mounts(std::string_view mountinfo) {
  constexpr size_t kDirectory = 4;
  constexpr size_t kOptions = 5;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const auto words = split(line, ' ');
    const auto separator = std::ranges::find(words, "-");
    if (words.size() <= kOptions || separator == words.end()) continue;
    const auto type = separator + 1;
    if (type == words.end()) continue;
    mounts_.push_back({unescape_octal(words[kDirectory]), is_reliable_type(*type),
                       words[kOptions].starts_with("rw")});
  }
}

std::string Mounts::unreliable_mount_of(std::string_view path) const {
  const Mount* nearest = nullptr;
  for (const Mount& mount : mounts_) {
    if (!is_in(path, mount.directory)) continue;
    // A later mount at the same directory or above may hide earlier ones. A mount above others
    // normally moves them along, so the longest directory counts.
    if (nearest == nullptr || mount.directory.size() >= nearest->directory.size()) nearest = &mount;
  }
  return nearest == nullptr || nearest->is_reliable ? std::string() : nearest->directory;
}

MountWatch::MountWatch(loop::EventLoop& loop, std::function<void()> on_change)
    : loop_(loop),
      on_change_(std::move(on_change)),
      mounts_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) {
  if (!mounts_) {
    error_ = errno;
    return;
  }
  watching_ = loop_.watch_exceptional(mounts_.get(), [this] { changed(); });
  // Changes before the loop's first wait are not reported.
  changed();
}

void MountWatch::changed() {
  if (soon_) return;
  soon_ = loop_.after(kGathered, [this] {
    soon_.reset();
    on_change_();
  });
}

}  // namespace patchbay::paths
