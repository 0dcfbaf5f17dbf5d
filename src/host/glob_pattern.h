#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "host/glob_walk.h"
#include "host/host_root.h"

namespace patchbay::host {

/// A directory that has to be watched so that nothing a pattern finds is missed.
struct PatternDirectory {
  std::string path;  ///< As we see it: see HostRoot::here().
  size_t level = 0;  ///< Its entries stand for the pattern's segment of this index.
  dev_t device = 0;  ///< With `inode`, which directory it is, whatever links lead to it.
  ino_t inode = 0;
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
  /// False below /sys and /proc, where directories do not report changes.
  [[nodiscard]] bool watchable() const;

  /// What exists, sorted, as far as the limits allow. Blocking: pool.
  [[nodiscard]] GlobFound find(const GlobLimits& limits = {}) const;
  [[nodiscard]] std::vector<std::string> list() const { return find().paths; }
  /// The directories to watch: those whose entries may be found or lead there. Of those above a
  /// literal segment only the deepest that exists, and where a link is. Blocking: pool.
  [[nodiscard]] std::vector<PatternDirectory> directories() const;

 private:
  /// The pattern of the first `level` segments.
  [[nodiscard]] std::string prefix(size_t level) const;
  [[nodiscard]] std::vector<std::string> directories_at(size_t level) const;
  /// Whether changes of the next segment's entry show only in `directory` itself.
  [[nodiscard]] bool must_watch(const std::string& directory, size_t level) const;

  std::string written_;
  HostRoot root_;
  std::vector<std::string> segments_;
  std::string base_;
};

}  // namespace patchbay::host
