#include "paths/host_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <memory>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "loop/may_block.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::paths {
namespace {

/// The kernel's limit of links.
constexpr int kMostLinks = 40;

const std::string kOwnTop;

std::optional<HostRoot::Status> status_of(const UniqueFd& fd) {
  HostRoot::Status status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return std::nullopt;
  return status;
}

std::optional<HostRoot::Status> status_of(const MemoryFiles::Entry* entry) {
  if (entry == nullptr) return std::nullopt;
  HostRoot::Status status{};
  status.st_mode = entry->mode;
  status.st_rdev = entry->number;
  status.st_ino = entry->inode;
  return status;
}

/// Reads at most `most` bytes. The buffer grows with the content, because `most` can be large.
std::optional<std::string> read_content(const UniqueFd& fd, size_t most) {
  constexpr size_t kFirst = 4096;
  std::string content;
  size_t size = 0;
  while (size < most) {
    if (size == content.size()) content.resize(std::min(most, std::max(kFirst, 2 * size)));
    const ssize_t got = ::read(fd.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  content.resize(size);
  return content;
}

/// Returns `fd` unchanged, after recording the reason of a failure.
UniqueFd record_failure(UniqueFd fd) {
  if (!fd) ResourceExhaustion::record(errno);
  return fd;
}

/// Whether the path does not exist because its directory has no such name. `path` is not stored.
bool is_missing_entry(const MemoryFiles& files, const std::string& path, size_t last_slash) {
  if (last_slash == std::string::npos) return false;
  const std::string_view name = std::string_view(path).substr(last_slash + 1);
  if (name.empty() || name == "." || name == "..") return false;
  const MemoryFiles::Entry* const directory = files.find(path.substr(0, last_slash));
  return directory != nullptr && S_ISDIR(directory->mode);
}

void prepend(std::deque<std::string>& components, std::string_view path) {
  const auto added = split(path, '/');
  for (const std::string_view component : added | std::views::reverse) {
    if (!component.empty() && component != ".") components.emplace_front(component);
  }
}

}  // namespace

/// Does not follow a link at the end.
std::optional<HostRoot::Status> HostRoot::status_of_entry(const std::string& local_path) const {
  if (recorded_) {
    errno = ENOENT;
    return status_of(recorded_->find(local_path));
  }
  Status status{};
  if (::lstat(local_path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::optional<std::string> HostRoot::target_of_entry(const std::string& local_path) const {
  if (recorded_) {
    const MemoryFiles::Entry* entry = recorded_->find(local_path);
    if (entry == nullptr || !S_ISLNK(entry->mode)) return std::nullopt;
    return entry->content;
  }
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(local_path.c_str(), target.data(), target.size());
  if (size <= 0) return std::nullopt;
  return std::string(target.data(), static_cast<size_t>(size));
}

/// Null: it is not there. `follow`: follow a link at the end.
const MemoryFiles::Entry* HostRoot::find_recorded(const std::string& path, bool follow) const {
  // Stored paths have no links, so most paths are found at once.
  errno = ENOENT;
  const MemoryFiles::Entry* entry = recorded_->find(path);
  if (entry == nullptr) {
    const size_t slash = path.rfind('/');
    if (is_missing_entry(*recorded_, path, slash)) return nullptr;
    if (!follow && slash != std::string::npos) {
      const auto directory = resolve(path.substr(0, slash));
      if (directory) {
        entry = recorded_->find((*directory == "/" ? "" : *directory) + path.substr(slash));
      }
    } else if (const auto resolved = resolve(path)) {
      entry = recorded_->find(*resolved);
    }
  } else if (follow && S_ISLNK(entry->mode)) {
    const auto resolved = resolve(path);
    entry = resolved ? recorded_->find(*resolved) : nullptr;
  }
  return entry;
}

std::optional<std::string> HostRoot::link_target(const std::string& link) const {
  if (!recorded_) {
    const std::string& top = top_of(link);
    return top.empty() ? target_of_entry(link) : target_of_entry(top + link);
  }
  const MemoryFiles::Entry* entry = find_recorded(link, false);
  if (entry == nullptr || !S_ISLNK(entry->mode)) return std::nullopt;
  return entry->content;
}

std::optional<HostRoot::Status> HostRoot::status(const std::string& path) const {
  if (recorded_) return status_of(find_recorded(path, true));
  loop::MayBlock::check();
  const std::string& top = top_of(path);
  if (!top.empty()) {
    const UniqueFd fd = open(path, O_PATH);
    if (fd || !ResourceExhaustion::is_exhaustion(errno)) return status_of(fd);
    // The walk needs no descriptor.
    const auto resolved = resolve(path);
    return resolved ? status_of_entry(top + *resolved) : std::nullopt;
  }
  Status status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::optional<HostRoot::Status> HostRoot::link_status(const std::string& path) const {
  if (recorded_) return status_of(find_recorded(path, false));
  loop::MayBlock::check();
  if (!top_of(path).empty()) return status_of(open(path, O_PATH | O_NOFOLLOW));
  return status_of_entry(path);
}

UniqueFd HostRoot::open(const std::string& path, int flags) const {
  if (recorded_) {
    errno = find_recorded(path, true) == nullptr ? ENOENT : EOPNOTSUPP;
    return {};
  }
  loop::MayBlock::check();
  // The kernel accepts few flags with O_PATH.
  flags |= (flags & O_PATH) != 0 ? O_CLOEXEC : O_CLOEXEC | O_NOCTTY;
  const std::string& top = top_of(path);
  if (top.empty()) return record_failure(UniqueFd(::open(path.c_str(), flags)));
  const UniqueFd directory =
      record_failure(UniqueFd(::open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)));
  if (!directory) return {};
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_IN_ROOT;
  UniqueFd fd(
      static_cast<int>(::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof how)));
  // A kernel before 5.6, a sandbox without openat2, or a tree that changes during the call.
  const bool refused = !fd && (errno == ENOSYS || errno == EPERM || errno == EAGAIN);
  return record_failure(refused ? open_step_by_step(path, flags) : std::move(fd));
}

UniqueFd HostRoot::try_open(const std::string& path, int flags) const {
  if (recorded_) {
    errno = EAGAIN;
    return {};
  }
  const std::string& top = top_of(path);
  open_how how{};
  how.resolve = RESOLVE_CACHED;
  const auto open_below = [&](int directory, const std::string& at, int more = 0) {
    how.flags = static_cast<uint64_t>(O_PATH | O_CLOEXEC | more);
    return UniqueFd(
        static_cast<int>(::syscall(SYS_openat2, directory, at.c_str(), &how, sizeof how)));
  };
  UniqueFd fd;
  if (top.empty()) {
    fd = open_below(AT_FDCWD, path, flags);
  } else if (const UniqueFd directory = open_below(AT_FDCWD, top)) {
    how.resolve |= RESOLVE_IN_ROOT;
    fd = open_below(directory.get(), path, flags);
  }
  static constexpr auto kAnswers = std::to_array({ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG});
  // Any other errno: the kernel would have to block, is older than 5.12, or a sandbox forbids the
  // call.
  if (!fd && std::ranges::find(kAnswers, errno) == kAnswers.end()) errno = EAGAIN;
  return fd;
}

UniqueFd HostRoot::open_step_by_step(const std::string& path, int flags) const {
  const size_t end = (flags & O_NOFOLLOW) != 0 ? path.rfind('/') : path.size();
  const auto resolved = resolve(path.substr(0, end));
  if (!resolved) return {};
  const std::string found = (*resolved == "/" ? "" : *resolved) + path.substr(end);
  return UniqueFd(::open((directory_ + found).c_str(), flags | O_NOFOLLOW));
}

std::optional<std::string> HostRoot::read_file(const std::string& path, size_t most) const {
  std::optional<std::string> content;
  if (recorded_) {
    const MemoryFiles::Entry* entry = find_recorded(path, true);
    if (entry != nullptr && S_ISREG(entry->mode)) content = entry->content;
  } else {
    // Opening a device or a FIFO may have side effects, so check the type first.
    const auto before = status(path);
    if (!before || !S_ISREG(before->st_mode)) return std::nullopt;
    const UniqueFd fd = open(path, O_RDONLY | O_NONBLOCK);
    const auto opened = status_of(fd);
    if (!opened || !S_ISREG(opened->st_mode)) return std::nullopt;
    // The size is not used: it is 0 in /proc.
    content = read_content(fd, most + 1);
  }
  if (!content || content->size() > most) return std::nullopt;
  // The kernel always has mounts and processes to list: an empty list is a failed read.
  if (content->empty() && path.starts_with("/proc/")) return std::nullopt;
  return std::string(trim_end(*content));
}

std::optional<std::string> HostRoot::read_attribute(const std::string& path) const {
  if (recorded_) {
    const MemoryFiles::Entry* entry = find_recorded(path, false);
    if (entry == nullptr || !S_ISREG(entry->mode)) return std::nullopt;
    return entry->content.substr(0, kMostAttributeBytes);
  }
  const UniqueFd fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  const auto opened = status_of(fd);
  if (!opened || !S_ISREG(opened->st_mode)) return std::nullopt;
  return read_content(fd, kMostAttributeBytes);
}

std::vector<std::string> HostRoot::names_in(const std::string& directory) const {
  std::vector<std::string> names;
  if (recorded_) {
    const MemoryFiles::Entry* entry = find_recorded(directory, true);
    return entry == nullptr ? names : entry->names;
  }
  UniqueFd fd = open(directory, O_RDONLY | O_DIRECTORY);
  if (!fd) return names;
  const std::unique_ptr<DIR, void (*)(DIR*)> entries(::fdopendir(fd.get()),
                                                     [](DIR* dir) { ::closedir(dir); });
  if (!entries) {
    ResourceExhaustion::record(errno);
    return names;
  }
  static_cast<void>(fd.release());
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

std::optional<std::string> HostRoot::walk(const std::string& path, const Visit& visit) const {
  loop::MayBlock::check();
  const std::string& top = top_of(path);
  std::deque<std::string> left;
  prepend(left, path);
  std::string at;
  int links = 0;
  while (!left.empty()) {
    const std::string name = std::move(left.front());
    left.pop_front();
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string directory = top + at;
    if (visit && !visit(directory.empty() ? "/" : directory, name)) return std::nullopt;
    std::string next = at + '/' + name;
    const auto status = status_of_entry(top + next);
    if (!status) return std::nullopt;
    if (S_ISLNK(status->st_mode)) {
      const auto target = target_of_entry(top + next);
      if (!target || ++links > kMostLinks) {
        errno = ELOOP;
        return std::nullopt;
      }
      if (target->starts_with('/')) at.clear();
      prepend(left, *target);
    } else if (!left.empty() && !S_ISDIR(status->st_mode)) {
      errno = ENOTDIR;
      return std::nullopt;
    } else {
      at = std::move(next);
    }
  }
  return at.empty() ? "/" : at;
}

/// The prefix of the path in our file system. Empty: none.
const std::string& HostRoot::top_of(const std::string& path) const {
  return path == "/sys" || path.starts_with("/sys/") ? kOwnTop : directory_;
}

}  // namespace patchbay::paths
