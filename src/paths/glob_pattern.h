#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paths/glob_walk.h"
#include "paths/host_root.h"

namespace patchbay::paths {

/// A path that must be followed so that no match of a pattern is missed. It need not exist.
struct PatternWatchPoint {
  std::string path;
  /// Index of the pattern's segment with which the entries of `path` are compared. This segment has
  /// a wildcard. If the whole pattern matches `path`, the index is GlobPattern::depth().
  size_t level = 0;
};

/// An absolute pattern, split at its slashes. Immutable; any thread.
class GlobPattern {
 public:
  GlobPattern(std::string pattern, HostRoot root);

  [[nodiscard]] const std::string& written() const { return written_; }
  /// Number of segments. The last one is compared with the names of matches.
  [[nodiscard]] size_t depth() const { return segments_.size(); }
  [[nodiscard]] bool segment_matches(size_t level, const std::string& name) const;
  /// Whether the pattern finds `path` if `path` exists.
  [[nodiscard]] bool matches(std::string_view path) const;
  /// The deepest directory above all matches.
  [[nodiscard]] const std::string& base() const { return base_; }
  /// Returns the existing matches, sorted, within the limits. Blocking: on a work thread.
  [[nodiscard]] GlobFound find(const GlobLimits& limits = {}) const;
  [[nodiscard]] std::vector<std::string> list() const { return find().paths; }
  /// Returns the first path to follow, above all other watch points.
  [[nodiscard]] PatternWatchPoint first_watch_point() const;
  /// Returns all paths to follow, the first one first. Blocking: on a work thread.
  [[nodiscard]] std::vector<PatternWatchPoint> watch_points() const;

 private:
  /// The pattern of the first `level` segments.
  [[nodiscard]] std::string prefix(size_t level) const;

  std::string written_;
  HostRoot root_;
  std::vector<std::string> segments_;
  std::string base_;
};

}  // namespace patchbay::paths
