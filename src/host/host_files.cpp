#include "host/host_files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/unique_fd.h"

namespace patchbay::host {
namespace {

/// As many links as the kernel follows.
constexpr int kMostLinks = 40;

bool is_regular(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool reports_changes(const std::string& path, const std::string& root) {
  return std::ranges::none_of(std::array{"/proc/", "/sys/"}, [&](const std::string& silent) {
    return path.starts_with(silent) || path.starts_with(root + silent);
  });
}

/// Of Linux, but in none of its headers that Debian 12 ships.
constexpr uint32_t kZfsMagic = 0x2fc12fc1;
constexpr uint32_t kBcachefsMagic = 0xca451a4e;

/// Of a local disk or of memory. One of the network waits for its server even when a watch is put
/// on it, so those that nobody has thought of are left out.
bool reports_and_answers(const std::string& directory) {
  static constexpr auto kKnown = std::to_array<uint32_t>(
      {BTRFS_SUPER_MAGIC, DEVPTS_SUPER_MAGIC, EROFS_SUPER_MAGIC_V1, EXT4_SUPER_MAGIC,
       EXFAT_SUPER_MAGIC, F2FS_SUPER_MAGIC, HUGETLBFS_MAGIC, ISOFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC,
       OVERLAYFS_SUPER_MAGIC, RAMFS_MAGIC, SQUASHFS_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC, kZfsMagic,
       kBcachefsMagic});
  struct statfs status {};
  if (::statfs(directory.c_str(), &status) != 0) return false;
  return std::ranges::find(kKnown, static_cast<uint32_t>(status.f_type)) != kKnown.end();
}

/// What is to be heard of a path.
enum class Hear {
  content,  ///< Of the file that it leads to. Directories are not followed when they are renamed.
  way,      ///< Of what it leads to and of all that it leads through, where that cannot hang.
};

/// Goes along a path as the kernel does, from link to link.
class Walk {
 public:
  Walk(const std::string& file, std::string root, Hear hear)
      : root_(std::move(root)), hear_(hear), at_(root_) {
    go_on_with(file);
  }

  std::vector<FilePlace> places() {
    while (!rest_.empty()) {
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      if (name == "..") {
        at_.resize(at_.empty() ? 0 : at_.rfind('/'));
      } else if (!step(name)) {
        break;
      }
    }
    return std::move(places_);
  }

 private:
  void go_on_with(std::string_view path) {
    std::deque<std::string> parts;
    for (const std::string_view part : split(path, '/')) {
      if (!part.empty() && part != ".") parts.emplace_back(part);
    }
    std::ranges::move(rest_, std::back_inserter(parts));
    rest_ = std::move(parts);
  }

  /// False: the way ends here.
  bool step(const std::string& name) {
    if (hear_ == Hear::way && !reports_and_answers(shown(at_))) return false;
    const std::string next = at_ + '/' + name;
    struct stat status {};
    const bool there = ::lstat(next.c_str(), &status) == 0;
    const bool goes_on = there && S_ISDIR(status.st_mode) && !rest_.empty();
    if (!goes_on || hear_ == Hear::way) add(at_, name);
    if (goes_on) at_ = next;
    if (there && S_ISLNK(status.st_mode)) return follow(next);
    const bool is_file = there && S_ISREG(status.st_mode) && rest_.empty();
    if (is_file && hear_ == Hear::content) add(next, "");
    return goes_on;
  }

  bool follow(const std::string& link) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
    if (size <= 0 || ++links_ > kMostLinks) return false;
    const std::string_view path(target.data(), static_cast<size_t>(size));
    if (path.front() == '/') at_.clear();
    go_on_with(path);
    return true;
  }

  void add(const std::string& path, const std::string& entry) {
    if (!reports_changes(path + '/' + entry + '/', root_)) return;
    struct stat status {};
    if (::stat(shown(path).c_str(), &status) != 0) status = {};
    places_.push_back(
        {.path = shown(path), .entry = entry, .device = status.st_dev, .inode = status.st_ino});
  }

  static const std::string& shown(const std::string& path) { return path.empty() ? kTop : path; }
  inline static const std::string kTop = "/";

  std::string root_;
  Hear hear_;
  std::string at_;  ///< The directory reached; empty: the top.
  std::deque<std::string> rest_;
  std::vector<FilePlace> places_;
  int links_ = 0;
};

}  // namespace

std::optional<std::string> read_host_file(const std::string& path) {
  // To open a device or a FIFO may do something to it, so look first.
  if (!is_regular(path)) return std::nullopt;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  // The size is not asked: it is 0 in /proc.
  std::string content(kMostFileBytes + 1, '\0');
  size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = ::read(fd.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size > kMostFileBytes) return std::nullopt;
  const std::string_view value = trim_end({content.data(), size});
  if (value.empty()) return std::nullopt;
  return std::string(value);
}

std::vector<FilePlace> file_places(const std::string& file, const std::string& root) {
  return Walk(file, root, Hear::content).places();
}

std::vector<FilePlace> way_to(const std::string& path, const std::string& root) {
  return Walk(path, root, Hear::way).places();
}

}  // namespace patchbay::host
