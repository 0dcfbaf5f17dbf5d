#include "paths/glob_pattern.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "paths/glob_walk.h"

namespace patchbay::paths {
GlobPattern::GlobPattern(std::string pattern, HostRoot root)
    : written_(std::move(pattern)), root_(std::move(root)) {
  for (const std::string_view segment : split(written_, '/')) {
    if (!segment.empty()) segments_.emplace_back(segment);
  }
  for (size_t i = 0; i + 1 < segments_.size() && !has_wildcard(segments_[i]); ++i) {
    base_ += '/' + unescape_glob(segments_[i]);
  }
}

bool GlobPattern::segment_matches(size_t level, const std::string& name) const {
  return ::fnmatch(segments_[level].c_str(), name.c_str(), FNM_PERIOD) == 0;
}

bool GlobPattern::matches(std::string_view path) const {
  // Many patterns are compared with each path, and most of them have another base.
  if (!path.starts_with('/') || !path.starts_with(base_)) return false;
  const auto names = split(path.substr(1), '/');
  if (names.size() != segments_.size()) return false;
  for (size_t level = 0; level < names.size(); ++level) {
    if (!segment_matches(level, std::string(names[level]))) return false;
  }
  return true;
}

GlobFound GlobPattern::find(const GlobLimits& limits) const {
  GlobFound found = walk_glob(root_, prefix(depth()), limits);
  // The paths are usually sorted already, because names are listed in order.
  if (!std::ranges::is_sorted(found.paths)) std::ranges::sort(found.paths);
  return found;
}

std::string GlobPattern::prefix(size_t level) const {
  std::string pattern;
  for (size_t i = 0; i < level; ++i) pattern += '/' + segments_[i];
  return pattern;
}

PatternWatchPoint GlobPattern::first_watch_point() const {
  PatternWatchPoint point;
  while (point.level < depth() && !has_wildcard(segments_[point.level])) {
    point.path += '/' + unescape_glob(segments_[point.level++]);
  }
  if (point.path.empty()) point.path = "/";
  return point;
}

std::vector<PatternWatchPoint> GlobPattern::watch_points() const {
  std::vector<PatternWatchPoint> watch_points;
  std::vector<std::string> paths{""};
  for (size_t level = 0; level < depth(); ++level) {
    if (!has_wildcard(segments_[level])) {
      for (std::string& path : paths) path += '/' + unescape_glob(segments_[level]);
      continue;
    }
    for (const std::string& path : paths)
      watch_points.push_back({path.empty() ? "/" : path, level});
    if (level + 1 == depth()) return watch_points;
    // A link may later lead to a directory.
    paths = walk_glob(root_, prefix(level + 1) + '/', {.all_links = true}).paths;
    for (std::string& path : paths) path.pop_back();
  }
  for (std::string& path : paths) watch_points.push_back({std::move(path), depth()});
  return watch_points;
}

}  // namespace patchbay::paths
