#include "host/host_files.h"

#include <fcntl.h>
#include <sys/stat.h>
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

/// Goes along a path as the kernel does, from link to link.
class Walk {
 public:
  Walk(const std::string& file, std::string root) : root_(std::move(root)), at_(root_) {
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
    const std::string next = at_ + '/' + name;
    struct stat status {};
    const bool there = ::lstat(next.c_str(), &status) == 0;
    if (there && S_ISDIR(status.st_mode) && !rest_.empty()) {
      at_ = next;
      return true;
    }
    add(at_, name);
    if (there && S_ISLNK(status.st_mode)) return follow(next);
    if (there && S_ISREG(status.st_mode) && rest_.empty()) add(next, "");
    return false;
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
    const std::string& shown = path.empty() ? kTop : path;
    if (::stat(shown.c_str(), &status) != 0) status = {};
    places_.push_back(
        {.path = shown, .entry = entry, .device = status.st_dev, .inode = status.st_ino});
  }

  inline static const std::string kTop = "/";

  std::string root_;
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
  return Walk(file, root).places();
}

}  // namespace patchbay::host
