#include "host/glob_pattern.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "host/glob_paths.h"

namespace patchbay::host {
GlobPattern::GlobPattern(std::string pattern, HostRoot root)
    : written_(std::move(pattern)), root_(std::move(root)) {
  for (const std::string_view part : split(written_, '/')) {
    if (!part.empty()) segments_.emplace_back(part);
  }
  for (size_t i = 0; i + 1 < segments_.size() && !has_wildcard(segments_[i]); ++i) {
    base_ += '/' + unescape_glob(segments_[i]);
  }
}

bool GlobPattern::segment_matches(size_t level, const std::string& name) const {
  return ::fnmatch(segments_[level].c_str(), name.c_str(), FNM_PERIOD) == 0;
}

bool GlobPattern::matches(std::string_view path) const {
  if (!path.starts_with('/')) return false;
  const auto names = split(path.substr(1), '/');
  if (names.size() != segments_.size()) return false;
  for (size_t level = 0; level < names.size(); ++level) {
    if (!segment_matches(level, std::string(names[level]))) return false;
  }
  return true;
}

bool GlobPattern::watchable() const {
  return segments_.empty() || (segments_.front() != "sys" && segments_.front() != "proc");
}

GlobFound GlobPattern::find(const GlobLimits& limits) const {
  GlobFound found = walk_glob(root_, prefix(depth()), limits);
  std::ranges::sort(found.paths);
  return found;
}

std::vector<PatternDirectory> GlobPattern::directories() const {
  std::vector<PatternDirectory> found;
  for (size_t level = 0; level < depth(); ++level) {
    const auto paths = directories_at(level);
    if (paths.empty()) break;
    for (const std::string& path : paths) {
      const auto status = must_watch(path, level) ? root_.status(path) : std::nullopt;
      if (!status) continue;
      std::string here = root_.here(path == "/" ? "" : path);
      found.push_back({.path = here.empty() ? "/" : std::move(here),
                       .level = level,
                       .device = status->st_dev,
                       .inode = status->st_ino});
    }
  }
  return found;
}

std::string GlobPattern::prefix(size_t level) const {
  std::string pattern;
  for (size_t i = 0; i < level; ++i) pattern += '/' + segments_[i];
  return pattern;
}

std::vector<std::string> GlobPattern::directories_at(size_t level) const {
  if (level == 0) return {"/"};
  auto paths = walk_glob(root_, prefix(level) + '/').paths;
  for (std::string& path : paths) path.pop_back();
  return paths;
}

bool GlobPattern::must_watch(const std::string& directory, size_t level) const {
  if (level + 1 == depth() || has_wildcard(segments_[level])) return true;
  const std::string next =
      (directory == "/" ? "" : directory) + '/' + unescape_glob(segments_[level]);
  // A link may be turned to another directory, and something else may become one.
  const auto status = root_.link_status(next);
  return !status || !S_ISDIR(status->st_mode);
}

}  // namespace patchbay::host
