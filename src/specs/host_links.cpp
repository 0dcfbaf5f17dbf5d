#include "specs/host_links.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <ranges>
#include <string_view>

#include "base/text.h"

namespace patchbay::specs {
namespace {

/// As many as the kernel follows.
constexpr int kMostLinks = 40;

void put_before(std::deque<std::string>& parts, std::string_view path) {
  const auto added = split(path, '/');
  for (const std::string_view part : added | std::views::reverse) {
    if (!part.empty() && part != ".") parts.emplace_front(part);
  }
}

std::optional<std::string> read_link(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) return std::nullopt;
  return std::string(target.data(), static_cast<size_t>(size));
}

}  // namespace

std::optional<std::string> resolve_links(const std::string& root, const std::string& path) {
  std::deque<std::string> left;
  put_before(left, path);
  std::string resolved;
  int links = 0;
  while (!left.empty()) {
    const std::string part = std::move(left.front());
    left.pop_front();
    if (part == "..") {
      resolved.resize(resolved.empty() ? 0 : resolved.rfind('/'));
      continue;
    }
    const std::string next = resolved + '/' + part;
    struct stat status {};
    if (::lstat((root + next).c_str(), &status) != 0) return std::nullopt;
    if (!S_ISLNK(status.st_mode)) {
      resolved = next;
      continue;
    }
    const auto target = read_link(root + next);
    if (!target || ++links > kMostLinks) return std::nullopt;
    if (target->starts_with('/')) resolved.clear();
    put_before(left, *target);
  }
  return resolved.empty() ? "/" : resolved;
}

}  // namespace patchbay::specs
