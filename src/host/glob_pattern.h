#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/glob_walk.h"
#include "host/host_root.h"

namespace patchbay::host {

/// A path that has to be followed so that nothing a pattern finds is missed; it need not exist.
struct PatternWatchPoint {
  std::string path;
  /// The entries of this directory stand for the pattern's segment of this index, which has a
  /// wildcard; GlobPattern::depth(): the path is one that the pattern finds.
  size_t level = 0;
};

/// An absolute pattern, cut at its slashes. Immutable; any thread.
class GlobPattern {
 public:
  GlobPattern(std::string pattern, HostRoot root);

  [[nodiscard]] const std::string& written() const { return written_; }
  /// How many segments there are; the last one names what is found.
  [[nodiscard]] size_t depth() const { return segments_.size(); }
  [[nodiscard]] bool segment_matches(size_t level, const std::string& name) const;
  /// Whether the pattern finds `path` when it exists.
  [[nodiscard]] bool matches(std::string_view path) const;
  /// The deepest directory that everything found is below.
  [[nodiscard]] const std::string& base() const { return base_; }
  /// What exists, sorted, as far as the limits allow. Blocking: pool.
  [[nodiscard]] GlobFound find(const GlobLimits& limits = {}) const;
  [[nodiscard]] std::vector<std::string> list() const { return find().paths; }
  /// The first path to follow, which no other leads to.
  [[nodiscard]] PatternWatchPoint first_watch_point() const;
  /// All paths to follow, the first of them first. Blocking: pool.
  [[nodiscard]] std::vector<PatternWatchPoint> watch_points() const;

 private:
  /// The pattern of the first `level` segments.
  [[nodiscard]] std::string prefix(size_t level) const;

  std::string written_;
  HostRoot root_;
  std::vector<std::string> segments_;
  std::string base_;
};

}  // namespace patchbay::host
