#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "host/hints.h"
#include "paths/path_follower.h"

namespace patchbay::host {

/// Follows the symbolic links that `glob:` patterns find to their targets, including dangling ones,
/// because a target may change outside the directories of the pattern. Loop thread.
class GlobLinks final : private paths::PathListener {
 public:
  /// Both outlive this.
  GlobLinks(paths::PathFollower& paths, Hints& hints) : paths_(paths), hints_(hints) {}
  GlobLinks(const GlobLinks&) = delete;
  GlobLinks& operator=(const GlobLinks&) = delete;
  ~GlobLinks() override;

  /// The path was read. True: it is a link, so it is followed from now on. If it was not followed
  /// before, it is hinted once it is, to cover changes in between.
  void path_checked(const std::string& path, bool is_link);
  [[nodiscard]] size_t size() const { return links_.size(); }
  /// The followed links below a directory.
  [[nodiscard]] std::vector<std::string> below(const std::string& directory) const;

 private:
  void path_event(const std::string& path) override { hints_.refresh(path); }

  paths::PathFollower& paths_;
  Hints& hints_;
  std::set<std::string> links_;
};

}  // namespace patchbay::host
